package share_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/platform/share"
)

func TestEachPartyHasItsOwnTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, why := share.NewTurns[string](2), errors.New("enough")
		var ends []func()
		for _, who := range []string{"ann", "ann", "bob"} {
			end, err := turns.Take(t.Context(), who)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		ctx, leave := context.WithCancelCause(t.Context())
		left, got := make(chan error, 1), make(chan func(), 1)
		go func() { _, err := turns.Take(ctx, "ann"); left <- err }()
		go func() { end, _ := turns.Take(t.Context(), "ann"); got <- end }()
		synctest.Wait()
		if len(left)+len(got) > 0 {
			t.Fatal("a third turn is given while a party has two")
		}
		leave(why)
		if err := <-left; !errors.Is(err, why) {
			t.Errorf("Take() whose context ends = %v, want the cause", err)
		}
		ends[0]()
		ends[0] = <-got
		if n := turns.Known(); n != 2 {
			t.Errorf("%d parties are remembered while two have turns, want them", n)
		}
		for _, end := range ends {
			end()
		}
		if n := turns.Known(); n != 0 {
			t.Errorf("%d parties are remembered when all turns are over, want none", n)
		}
	})
}
