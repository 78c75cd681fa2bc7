package cli_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/quorate/quorate/orchestrator/cli"
)

// person is a stdin on which nobody types anything; the first look at it interrupts.
type person struct {
	interrupt context.CancelFunc
	gone      <-chan struct{}
}

func (p person) Read([]byte) (int, error) {
	p.interrupt()
	<-p.gone
	return 0, io.EOF
}

func TestAnInterruptEndsTheWaitForStdin(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"a file":    {"tasks", "submit", "--agent", "a", "--file", "-"},
		"a message": {"tasks", "reply", "t1", "-f", "-"},
		"a card":    {"agents", "register", "-f", "-"},
		"metadata":  {"agents", "register", "http://127.0.0.1:1", "--metadata", "-"},
		"lines":     {"agents", "apply", "-"},
		"a key":     {"keys", "pin", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, nil)
			gone := make(chan struct{})
			defer close(gone)
			ctx, cancel := context.WithCancel(t.Context())
			var out, errs bytes.Buffer
			exit := cli.Main(ctx, append(args, "--server", g.url, "--token-file", g.token), person{cancel, gone}, &out, &errs)
			if want := "quorate " + args[0] + " " + args[1] + ": interrupted\n"; exit != 130 || errs.String() != want || len(g.seen()) > 0 {
				t.Errorf("Main(%q) = %d, %q, and called %q, want 130, %q and no call", args, exit, errs.String(), g.seen(), want)
			}
		})
	}
}
