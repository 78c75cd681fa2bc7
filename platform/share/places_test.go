package share_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/share"
)

// takers take places and note who got one.
type takers struct {
	places *share.Places[string]
	mu     sync.Mutex
	got    []string          // guarded by mu
	back   map[string]func() // guarded by mu
}

func newTakers(places int) *takers {
	return &takers{places: share.NewPlaces[string](places), back: make(map[string]func())}
}

// take asks for n places for who, and returns how many of all askers have got one so far. It belongs in a bubble.
func (a *takers) take(ctx context.Context, who string, n int) (got int) {
	for i := range n {
		go func() {
			back, err := a.places.Take(ctx, who)
			if err != nil {
				return
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			name := fmt.Sprint(who, " ", i)
			a.got = append(a.got, name)
			a.back[name] = back
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

// giveBack gives the place of one that has got it back.
func (a *takers) giveBack(name string) {
	a.mu.Lock()
	back := a.back[name]
	a.mu.Unlock()
	back()
	back() // twice is once
	synctest.Wait()
}

func TestWhoKeepsPlacesLeavesSomeForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := newTakers(16)
		for _, step := range []struct {
			who  string
			want int
		}{{"ann", 8}, {"bob", 12}, {"cid", 14}, {"dan", 15}, {"eve", 16}, {"fay", 16}} {
			if got := a.take(ctx, step.who, 20); got != step.want {
				t.Errorf("%d places are taken after 20 were asked for %s, want %d", got, step.who, step.want)
			}
		}
		cancel()
		synctest.Wait()
		for _, name := range a.names() {
			a.giveBack(name)
		}
		if n := a.places.Known(); n != 0 {
			t.Errorf("%d parties are remembered when all places were given back, want none", n)
		}
		if got := a.take(t.Context(), "ann", 8); got != 24 {
			t.Errorf("a party alone gets %d places after all were given back, want 8", got-16)
		}
	})
}

func TestWhoWaitsForAPlaceForTheLongestComesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := newTakers(3)
		a.take(ctx, "ann", 4) // 0 and 1 get one, 2 and 3 wait
		a.take(ctx, "bob", 2) // 0 gets one, 1 waits
		a.take(ctx, "cid", 1) // waits
		a.take(ctx, "dan", 1) // waits
		a.giveBack("ann 0")
		if got, want := a.names()[3:], []string{"cid 0"}; !slices.Equal(got, want) {
			t.Errorf("the place of a party that has another goes to %q, want %q, which has none", got, want)
		}
		a.giveBack("ann 1")
		a.giveBack("bob 0")
		if got, want := a.names()[4:], []string{"ann 2", "bob 1"}; !slices.Equal(got, want) {
			t.Errorf("the next places go to %q, want %q", got, want)
		}
	})
}

func TestOnePlaceMakesRoomForTwo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := newTakers(3)
		for i, who := range []string{"ann", "bob", "bob", "ann"} {
			if got := a.take(ctx, who, 1); got != min(i+1, 2) {
				t.Errorf("%d places are taken after %d were asked for, want one of three for each of two", got, i+1)
			}
		}
		a.giveBack("ann 0")
		if got := a.names(); len(got) != 4 {
			t.Errorf("places went to %q, want both who wait to have one: one makes room for bob, and has left room for ann", got)
		}
	})
}

func TestAPlaceIsWaitedForUntilTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		places, why := share.NewPlaces[string](1), errors.New("enough")
		back, err := places.Take(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		begin := time.Now()
		if _, err := places.Take(ctx, "bob"); !errors.Is(err, why) || time.Since(begin) != time.Second {
			t.Errorf("Take() while there is no place = %v after %s, want the cause of the context's end after a second", err, time.Since(begin))
		}
		if n := places.Known(); n != 1 {
			t.Errorf("%d parties are remembered when one has a place and another has left, want one", n)
		}
		back()
		if _, err := places.Take(t.Context(), "cid"); err != nil {
			t.Errorf("Take() after one who waited has left = %v, want the place", err)
		}
	})
}

func TestWhoLeavesTheLineTakesNobodyAlong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		places := share.NewPlaces[string](1)
		back, err := places.Take(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		stays, leaves := make(chan error, 1), make(chan error, 1)
		go func() { _, err := places.Take(t.Context(), "bob"); stays <- err }()
		synctest.Wait()
		go func() { _, err := places.Take(ctx, "bob"); leaves <- err }()
		synctest.Wait()
		leave()
		if err := <-leaves; !errors.Is(err, context.Canceled) {
			t.Errorf("Take() of who leaves = %v, want the end of its context", err)
		}
		back()
		if err := <-stays; err != nil {
			t.Errorf("Take() of who stood before it in the line = %v, want the place", err)
		}
	})
}

// TestAPlaceIsNotLostWithItsContext gives places to those whose context has ended already: neither comes first.
func TestAPlaceIsNotLostWithItsContext(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	places := share.NewPlaces[string](1)
	for range 100 {
		back, err := places.Take(ended, "ann")
		if err != nil {
			t.Fatalf("Take() of a free place = %v, want it", err)
		}
		back()
	}
}
