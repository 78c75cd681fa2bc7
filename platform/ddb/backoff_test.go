package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

func TestAChangeIsTriedAgainWhileOthersAreFaster(t *testing.T) {
	other := errors.New("something else")
	tests := map[string]struct {
		errs  func(call int) error
		calls int
		want  string
	}{
		"the first succeeds": {func(int) error { return nil }, 1, ""},
		"the third succeeds": {func(call int) error {
			return map[int]error{1: ddb.ErrMoved, 2: fmt.Errorf("put: %w", ddb.ErrMoved)}[call]
		}, 3, ""},
		"another error":       {func(int) error { return other }, 1, "INTERNAL"},
		"always somebody won": {func(int) error { return ddb.ErrMoved }, ddb.MaxTries, "STORE_BUSY"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := ddb.Contend(t.Context(), "agent a", func() error { calls++; return tt.errs(calls) })
				if calls != tt.calls || fault.ReasonOf(err) != tt.want {
					t.Errorf("Contend() = %v after %d calls, want %q after %d", err, calls, tt.want, tt.calls)
				}
				if fault.ReasonOf(err) == "STORE_BUSY" && !fault.From(err).Ours {
					t.Error("that others were always faster is not a problem of the store, want one")
				}
			})
		})
	}
}

func TestAChangeIsNotTriedAgainForNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := ddb.Contend(ctx, "agent a", func() error { cancel(); return ddb.ErrMoved })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Contend(canceled) = %v, want %v", err, context.Canceled)
	}
}
