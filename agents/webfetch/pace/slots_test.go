package pace_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/pace"
)

// TestASlowSiteLeavesSlotsForOthers has two hosts of one site ask for all of four slots, of which it gets two.
func TestASlowSiteLeavesSlotsForOthers(t *testing.T) {
	t.Parallel()
	slots := pace.NewSlots(4)
	take := func(host string) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nobody waits
		_, err := slots.Take(ctx, host)
		return err
	}
	for _, step := range []struct {
		host string
		want error
	}{{"www.slow.example", nil}, {"api.slow.example", nil}, {"slow.example", context.Canceled}, {"b.example", nil}, {"b.example", context.Canceled}, {"c.example", nil}} {
		if err := take(step.host); !errors.Is(err, step.want) {
			t.Errorf("Take(%s) = %v, want %v", step.host, err, step.want)
		}
	}
}
