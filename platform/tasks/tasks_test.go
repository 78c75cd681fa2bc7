package tasks_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/tasks"
)

var (
	errFirst = errors.New("first")
	errLate  = errors.New("late")
)

func waits(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

func TestRunStopsTogether(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		run  func(ctx context.Context) error
		want []string
	}{
		"one that fails stops the others":  {func(context.Context) error { return errFirst }, []string{"it: first"}},
		"one that ends stops the others":   {func(context.Context) error { return nil }, nil},
		"one that panics stops the others": {func(context.Context) error { panic("boom") }, []string{"it: panic: boom"}},
		"a canceled call of its own fails": {func(context.Context) error { return context.Canceled }, []string{"it: context canceled"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopped := false
			var log logtest.Buffer
			err := tasks.Run(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), tasks.Task{Name: "it", Run: test.run},
				tasks.Task{Name: "other", Run: func(ctx context.Context) error { defer func() { stopped = true }(); return waits(ctx) }})
			if !stopped {
				t.Error("Run() returned before the other task stopped")
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("Run() = %q, want %q", got, want)
			}
			if !strings.Contains(log.String(), " part=it") || strings.Contains(log.String(), "task=") { // a task is what agents work on
				t.Errorf("the log is %s, want the name of the part that ended", log.String())
			}
		})
	}
}

func TestRunReturnsNothingWhenItWasToldToStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	go func() { <-started; cancel() }()
	err := tasks.Run(ctx, slog.New(slog.DiscardHandler),
		tasks.Task{Name: "a", Run: func(ctx context.Context) error { close(started); return waits(ctx) }},
		tasks.Task{Name: "b", Run: waits})
	if err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
}

func TestRunJoinsTheErrorsOfAll(t *testing.T) {
	t.Parallel()
	err := tasks.Run(t.Context(), slog.New(slog.DiscardHandler),
		tasks.Task{Name: "a", Run: func(context.Context) error { return errFirst }},
		tasks.Task{Name: "b", Run: func(ctx context.Context) error { <-ctx.Done(); return errLate }})
	if !errors.Is(err, errFirst) || !errors.Is(err, errLate) {
		t.Errorf("Run() = %v, want both %v and %v", err, errFirst, errLate)
	}
}
