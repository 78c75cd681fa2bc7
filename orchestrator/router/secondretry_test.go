package router_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// moody is an embedder that fails as long as it is told to.
type moody struct {
	fails atomic.Bool
	calls atomic.Int32
}

func (e *moody) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.calls.Add(1)
	if e.fails.Load() {
		return nil, errors.New("out of order")
	}
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1}
	}
	return out, nil
}

func TestSkillsThatCouldNotBeReadAreReadLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &moody{}
		e.fails.Store(true)
		agents := fleet{
			skilled("a-cats", registry.StatusAvailable, "draw_cat", "Draws a picture of a cat."),
			skilled("b-dogs", registry.StatusAvailable, "draw_dog", "Draws a picture of a dog."),
		}
		r := router.New(router.Config{Directory: &agents, Intn: first, Embedder: e})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go r.Run(ctx)
		unsure(t, r)
		synctest.Wait()
		if says := unsure(t, r); !strings.Contains(says, "not read all skills yet: out of order") || e.calls.Load() == 0 {
			t.Errorf("Resolve() says %q after %d calls, want why the skills are not read", says, e.calls.Load())
		}
		e.fails.Store(false)
		<-time.After(10 * time.Second)
		synctest.Wait()
		if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
			t.Errorf("ten seconds later Resolve() says %q, want that the second stage decided", says)
		}
		calls := e.calls.Load()
		<-time.After(time.Hour)
		synctest.Wait()
		if n := e.calls.Load() - calls; n > 0 {
			t.Errorf("in an hour without new skills the endpoint was asked %d times, want never", n)
		}
	})
}
