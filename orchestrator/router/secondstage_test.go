package router_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/orchestrator/router/embedding"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// model is a server of the OpenAI form that knows what two animals are called. It answers queries, single texts, as told.
type model struct {
	queries atomic.Int32
	query   func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	refuses string                                            // what it says to whoever asks about skills; empty: it answers
	reads   int                                               // bytes of a text at most; 0: any number
	refused atomic.Int32                                      // calls with a longer one
	reading atomic.Int32                                      // calls about skills
	more    atomic.Int32                                      // numbers that its vectors have beyond the first three
	agents  fleet                                             // more of them
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(asked.Input) > 1 {
		m.reading.Add(1)
	}
	if len(asked.Input) == 1 {
		m.queries.Add(1)
		if m.query != nil && m.query(w, r) {
			return
		}
	}
	if m.refuses != "" && len(asked.Input) > 1 {
		http.Error(w, m.refuses, http.StatusUnauthorized)
		return
	}
	if m.reads > 0 && slices.ContainsFunc(asked.Input, func(text string) bool { return len(text) > m.reads }) {
		m.refused.Add(1)
		http.Error(w, "an input is too long", http.StatusRequestEntityTooLarge)
		return
	}
	var answer struct {
		Data []map[string]any `json:"data"`
	}
	for i, text := range asked.Input {
		v := []float32{0.1, 0.1, 0.1}
		for at, names := range [][]string{{"cat", "feline"}, {"dog", "hound"}} {
			for _, n := range names {
				if strings.Contains(strings.ToLower(text), n) {
					v[at] = 1
				}
			}
		}
		v = append(v, make([]float32, m.more.Load())...)
		answer.Data = append(answer.Data, map[string]any{"index": i, "embedding": v})
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return // the client left
	}
}

// withModel is a router over two agents that words do not tell apart, once its second stage has read their skills, or has tried.
func withModel(t *testing.T, m *model, box time.Duration) *router.Router {
	t.Helper()
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	client, err := embedding.New(s.URL, "small", "", s.Client())
	if err != nil {
		t.Fatal(err)
	}
	agents := fleet{
		skilled("a-cats", registry.StatusAvailable, "draw_cat", "Draws a picture of a cat."),
		skilled("b-dogs", registry.StatusAvailable, "draw_dog", "Draws a picture of a dog."),
	}
	agents = append(agents, m.agents...)
	r := router.New(router.Config{Directory: agents, Intn: first, Embedder: client, EmbedTimeout: box})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	waitUntilRead(t, r)
	return r
}

// unsure is what is said of the stages of a decision that the first is not sure of.
func unsure(t *testing.T, r *router.Router) string {
	t.Helper()
	says, _, _ := strings.Cut(reasons(t, r, "draw a picture of a hound"), "; status")
	return says
}

// reasons is what a decision says of its first candidate, or of why there is none.
func reasons(t *testing.T, r *router.Router, words string) string {
	t.Helper()
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: words})
	if fault.ReasonOf(err) == router.ReasonNoneFits {
		return got.Decision.Refused
	}
	if err != nil {
		t.Fatalf("Resolve(%q) = %+v, %v, want an agent or a refusal", words, got.Decision, err)
	}
	return strings.Join(got.Decision.Candidates[0].Reasons, "; ")
}

// farFetched is a text that the first stage alone refuses, though not by far.
const farFetched = "a hound with feet and ears and a picture"

func TestTheSecondStageDecidesWhereWordsDoNot(t *testing.T) {
	t.Parallel()
	r := withModel(t, &model{}, 10*time.Second)
	for words, want := range map[string]string{"draw a picture of a hound": "b-dogs", "draw a picture of a feline": "a-cats", farFetched: "b-dogs"} {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: words})
		if err != nil || got.Decision.Candidates[0].Agent != want {
			t.Errorf("Resolve(%q) = %+v, %v, want %s first", words, got.Decision, err, want)
		}
		if says := reasons(t, r, words); !strings.Contains(says, "the second stage (embeddings) decided: similarity") {
			t.Errorf("Resolve(%q) says %q, want that the second stage decided", words, says)
		}
	}
}

// TestACopyOfASkillDoesNotKeepATextFromIt has another agent with the very same skill.
func TestACopyOfASkillDoesNotKeepATextFromIt(t *testing.T) {
	t.Parallel()
	m := &model{agents: []registry.Agent{skilled("c-dogs", registry.StatusAvailable, "draw_dog", "Draws a picture of a dog.")}}
	got, err := withModel(t, m, 10*time.Second).Resolve(t.Context(), tenant, orchestrator.Route{Text: farFetched})
	if list := names(got.Decision.Candidates); err != nil || !slices.Contains(list, "b-dogs") || !slices.Contains(list, "c-dogs") {
		t.Errorf("Resolve(far-fetched) = %+v, %v, want both that draw dogs as candidates", got.Decision, err)
	}
}

func TestTheSecondStageIsNotAskedWhereWordsDecide(t *testing.T) {
	t.Parallel()
	m := &model{}
	r := withModel(t, m, 10*time.Second)
	before := m.queries.Load()
	if says := reasons(t, r, "dog"); !strings.Contains(says, "the first stage decided: it is sure") {
		t.Errorf("Resolve(dog) says %q, want that the first stage decided", says)
	}
	_, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: "compose a symphony for four violins"})
	if fault.ReasonOf(err) != router.ReasonNoneFits || m.queries.Load() != before {
		t.Errorf("Resolve(like nothing) = %v after %d questions, want it refused without any", err, m.queries.Load()-before)
	}
}

func TestWithoutTheSecondStageTheFirstDecides(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	var broken atomic.Bool
	answers := func(how func(w http.ResponseWriter, r *http.Request)) *model {
		return &model{query: func(w http.ResponseWriter, r *http.Request) bool {
			if broken.Load() {
				how(w, r)
			}
			return broken.Load()
		}}
	}
	tests := map[string]struct {
		m    *model
		box  time.Duration
		says string
	}{
		"what it says is not enough": {answers(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[0.05,0.05,1]}]}`)) // nearer to neither than they are to one another
		}), 10 * time.Second, "the second stage (embeddings) decided"},
		"it is slow": {answers(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}), 20 * time.Millisecond, "it did not answer in time (20ms)"},
		"it is wrong": {answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte(`{"data":[]}`)) // the client may have left
		}), 10 * time.Second, "0 vectors for 1 texts"},
		"it is down": {answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }), 10 * time.Second, "HTTP 503"},
		"it speaks of another model": {answers(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[1,0]}]}`)) // the client may have left
		}), 10 * time.Second, "of different lengths"},
	}
	routers := make(map[string]*router.Router)
	for name, test := range tests {
		routers[name] = withModel(t, test.m, test.box)
	}
	broken.Store(true)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says := reasons(t, routers[name], farFetched)
			if !strings.Contains(says, "no agent does what the text asks for") || !strings.Contains(says, test.says) {
				t.Errorf("Resolve(far-fetched) says %q, want a refusal that says %q", says, test.says)
			}
			if says := reasons(t, routers[name], "draw a picture of a hound"); !strings.Contains(says, "skill draw_") || !strings.Contains(says, test.says) {
				t.Errorf("Resolve() says %q, want an agent, and %q", says, test.says)
			}
		})
	}
}

func TestWhyTheSecondStageCannotReadSkillsIsSaid(t *testing.T) {
	t.Parallel()
	r := withModel(t, &model{refuses: "no such key"}, 10*time.Second)
	if says := unsure(t, r); !strings.Contains(says, "not read all skills yet: ") || !strings.Contains(says, "HTTP 401: no such key") {
		t.Errorf("Resolve() says %q, want what the endpoint answered to the skills", says)
	}
}

// TestASkillThatIsTooLongForTheModelHidesNoOther has agents whose skills say more than the model reads.
func TestASkillThatIsTooLongForTheModelHidesNoOther(t *testing.T) {
	t.Parallel()
	long := func(name, animal string) registry.Agent {
		return skilled(name, registry.StatusAvailable, "draw_"+animal, "Draws a picture of a "+animal+"."+strings.Repeat(" Thoroughly.", 200))
	}
	m := &model{reads: 600, agents: fleet{long("c-cows", "cow"), long("d-ducks", "duck")}}
	if says := unsure(t, withModel(t, m, 10*time.Second)); !strings.Contains(says, "the second stage (embeddings) decided") || m.refused.Load() == 0 {
		t.Errorf("Resolve() says %q after %d refusals, want the second stage's decision after some", says, m.refused.Load())
	}
}

// TestAModelThatRefusesAllIsNotAskedForEachSkill has a model refuse what may be said in each skill.
func TestAModelThatRefusesAllIsNotAskedForEachSkill(t *testing.T) {
	t.Parallel()
	m := &model{reads: 1}
	for n := range 500 {
		m.agents = append(m.agents, skilled(fmt.Sprintf("e-%d", n), registry.StatusAvailable, "sort_papers", fmt.Sprintf("Sorts papers by colour %d.", n)))
	}
	says := unsure(t, withModel(t, m, 10*time.Second))
	if !strings.Contains(says, "not read all skills yet: ") || !strings.Contains(says, "HTTP 413: an input is too long") {
		t.Errorf("Resolve() says %q, want what the endpoint answered to the skills", says)
	}
	if n := m.refused.Load(); n > 100 {
		t.Errorf("the endpoint was asked %d times about 502 skills, want few calls", n)
	}
}

func TestASecondStageThatFailsIsLeftAlone(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	m := &model{query: func(w http.ResponseWriter, _ *http.Request) bool {
		if broken.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return broken.Load()
	}}
	r := withModel(t, m, 10*time.Second)
	broken.Store(true)
	before, begin := m.queries.Load(), time.Now()
	for range 20 {
		reasons(t, r, "draw a picture of a hound")
	}
	most := 3 + int32(time.Since(begin)/(10*time.Second)) // on a slow machine, it gets another chance
	if n := m.queries.Load() - before; n < 3 || n > most {
		t.Errorf("20 decisions asked an endpoint that fails %d times, want 3 to %d", n, most)
	}
}

// TestASecondStageThatFailsNowAndThenIsAsked has two failures in a row at most, and more decisions than may wait at a time.
func TestASecondStageThatFailsNowAndThenIsAsked(t *testing.T) {
	t.Parallel()
	var failures atomic.Int32
	r := withModel(t, &model{query: func(w http.ResponseWriter, _ *http.Request) bool {
		fails := failures.Add(-1) >= 0
		if fails {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return fails
	}}, 10*time.Second)
	for range 20 {
		failures.Store(2)
		for i, want := range []string{"HTTP 500", "HTTP 500", "the second stage (embeddings) decided"} {
			if says := unsure(t, r); !strings.Contains(says, want) {
				t.Fatalf("decision %d says %q, want %q", i, says, want)
			}
		}
	}
}

func TestADecisionDoesNotQueueForTheSecondStage(t *testing.T) {
	t.Parallel()
	const most = 32
	release, waiting := make(chan struct{}), make(chan struct{}, most)
	var slow atomic.Bool
	r := withModel(t, &model{query: func(_ http.ResponseWriter, r *http.Request) bool {
		if slow.Load() {
			waiting <- struct{}{}
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	}}, time.Minute)
	slow.Store(true)
	var running sync.WaitGroup
	for range most {
		running.Go(func() {
			if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
				t.Errorf("a decision that waited says %q, want that the second stage decided", says)
			}
		})
	}
	for range most {
		<-waiting
	}
	if says := unsure(t, r); !strings.Contains(says, "too many decisions wait for it") {
		t.Errorf("one decision more says %q, want that it did not wait", says)
	}
	slow.Store(false)
	close(release)
	running.Wait()
	if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
		t.Errorf("after those that waited Resolve() says %q, want that the second stage decided", says)
	}
}

func TestClientsThatLeaveSayNothingAboutTheSecondStage(t *testing.T) {
	t.Parallel()
	var leave atomic.Pointer[context.CancelFunc]
	m := &model{query: func(_ http.ResponseWriter, r *http.Request) bool {
		if f := leave.Load(); f != nil {
			(*f)()
			select {
			case <-r.Context().Done():
			case <-time.After(50 * time.Millisecond): // it was not told that the client left
			}
		}
		return false
	}}
	r := withModel(t, m, 10*time.Second)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		leave.Store(&cancel)
		_, _ = r.Resolve(ctx, tenant, orchestrator.Route{Text: "draw a picture of a hound"}) // nobody reads the answer
		cancel()
	}
	leave.Store(nil)
	if says := reasons(t, r, "draw a picture of a hound"); !strings.Contains(says, "the second stage (embeddings) decided") {
		t.Errorf("after five clients that left Resolve() says %q, want that the second stage decided", says)
	}
}
