package pace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/webfetch/pace"
)

// takers take slots and note who got one.
type takers struct {
	slots *pace.Slots
	mu    sync.Mutex
	got   []string          // guarded by mu
	done  map[string]func() // guarded by mu
}

// take asks for n slots for host, and returns how many of all askers have got one so far. It belongs in a bubble.
func (a *takers) take(ctx context.Context, host string, n int) (got int) {
	for i := range n {
		go func() {
			done, err := a.slots.Take(ctx, host)
			if err != nil {
				return
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			name := fmt.Sprint(host, " ", i)
			a.got = append(a.got, name)
			a.done[name] = done
		}()
		synctest.Wait()
	}
	return len(a.names())
}

func (a *takers) names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.got)
}

// give gives the slot of one that has got it back.
func (a *takers) give(name string) {
	a.mu.Lock()
	done := a.done[name]
	a.mu.Unlock()
	done()
	done() // twice is once
	synctest.Wait()
}

func TestASlowSiteLeavesSlotsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &takers{slots: pace.NewSlots(16), done: map[string]func(){}}
		for _, step := range []struct {
			host string
			want int
		}{{"www.slow.example", 8}, {"api.slow.example", 8}, {"b.example", 12}, {"c.example", 14}, {"d.example", 15}, {"e.example", 16}, {"f.example", 16}} {
			if got := a.take(ctx, step.host, 20); got != step.want {
				t.Errorf("%d slots are taken after 20 were asked for %s, want %d", got, step.host, step.want)
			}
		}
		cancel()
		synctest.Wait()
		for _, name := range a.names() {
			a.give(name)
		}
		if got := a.take(t.Context(), "slow.example", 8); got != 24 {
			t.Errorf("a site alone gets %d slots after all the others were given back, want 8", got-16)
		}
	})
}

func TestWhoWaitsForASlotForTheLongestComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := &takers{slots: pace.NewSlots(3), done: map[string]func(){}}
		a.take(ctx, "a.example", 4) // 0 and 1 get one, 2 and 3 wait
		a.take(ctx, "b.example", 2) // 0 gets one, 1 waits
		a.take(ctx, "c.example", 1) // waits
		a.give("a.example 0")
		if got, want := a.names()[3:], []string{"c.example 0"}; !slices.Equal(got, want) {
			t.Errorf("the slot of a site that holds another goes to %q, want %q, which has none", got, want)
		}
		a.give("a.example 1")
		a.give("b.example 0")
		if got, want := a.names()[4:], []string{"a.example 2", "b.example 1"}; !slices.Equal(got, want) {
			t.Errorf("the next slots go to %q, want %q", got, want)
		}
	})
}

func TestASlotIsWaitedForUntilTheEndOfTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots, why := pace.NewSlots(1), errors.New("enough")
		done, err := slots.Take(t.Context(), "a.example")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		begin := time.Now()
		if _, err := slots.Take(ctx, "b.example"); !errors.Is(err, why) || time.Since(begin) != time.Second {
			t.Errorf("Take() while there is no slot = %v after %s, want the cause of the context's end after a second", err, time.Since(begin))
		}
		done()
		if _, err := slots.Take(t.Context(), "c.example"); err != nil {
			t.Errorf("Take() after one who waited has left = %v, want the slot", err)
		}
	})
}
