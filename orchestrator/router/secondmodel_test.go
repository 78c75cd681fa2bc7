package router_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/router"
)

// TestAModelThatWasReplacedIsAskedAboutTheSkillsAgain has an endpoint that gets a model whose vectors are longer.
func TestAModelThatWasReplacedIsAskedAboutTheSkillsAgain(t *testing.T) {
	t.Parallel()
	m := &model{}
	r := withModel(t, m, 10*time.Second)
	m.more.Store(2)
	if says := unsure(t, r); !strings.Contains(says, "of different lengths") {
		t.Errorf("Resolve() says %q, want that the vectors cannot be compared", says)
	}
	waitUntilRead(t, r)
	if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
		t.Errorf("Resolve() says %q, want the decision of the new model", says)
	}
	m.more.Store(3) // once more, at once: endless reading would cost too much
	reads := m.reading.Load()
	for range 20 {
		unsure(t, r)
	}
	if says := unsure(t, r); !strings.Contains(says, "of different lengths") || m.reading.Load() != reads {
		t.Errorf("Resolve() says %q after %d calls about skills, want that the vectors cannot be compared, and no calls", says, m.reading.Load()-reads)
	}
}

// TestATextThatTheModelDoesNotTakeIsNotItsFault has a model that reads few words, and callers who say more.
func TestATextThatTheModelDoesNotTakeIsNotItsFault(t *testing.T) {
	t.Parallel()
	var picky atomic.Bool
	r := withModel(t, &model{reads: 600, query: func(w http.ResponseWriter, _ *http.Request) bool {
		if picky.Load() {
			http.Error(w, "no such words, please", http.StatusBadRequest)
		}
		return picky.Load()
	}}, 10*time.Second)
	long := "draw a picture of a hound" + strings.Repeat(" and of many a hound", 50)
	for range 5 {
		if says := reasons(t, r, long); !strings.Contains(says, "the second stage (embeddings) decided") {
			t.Errorf("Resolve(long) says %q, want the decision about its beginning", says)
		}
	}
	picky.Store(true)
	for range 5 {
		if says := unsure(t, r); !strings.Contains(says, "HTTP 400: no such words, please") {
			t.Errorf("Resolve() says %q, want what the endpoint answered", says)
		}
	}
	picky.Store(false)
	if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
		t.Errorf("after texts that were refused Resolve() says %q, want that the second stage decided", says)
	}
}

// waitUntilRead waits until the second stage can compare its vectors of the skills.
func waitUntilRead(t *testing.T, r *router.Router) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if says := unsure(t, r); !strings.HasSuffix(says, "not read all skills yet") && !strings.Contains(says, "different lengths") {
			return
		}
		<-tick.C
	}
}
