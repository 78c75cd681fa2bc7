//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/orchestrator/cli"
)

func TestAnInterruptEndsTheWaitForAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	g := newGateway(t, nil)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{
		"agents list --token-file " + pipe,
		"agents apply " + pipe + " --token-file " + g.token,
		"tasks submit --agent a --file " + pipe + " --token-file " + g.token,
	} {
		args := strings.Fields(line)
		var out, errs bytes.Buffer
		exit := cli.Main(interrupted, append(args, "--server", g.url), strings.NewReader(""), &out, &errs)
		if want := "quorate " + args[0] + " " + args[1] + ": interrupted\n"; exit != 130 || errs.String() != want {
			t.Errorf("Main(%q) = %d, %q, want 130, %q", args, exit, errs.String(), want)
		}
	}
}

func TestTheTokenMayComeThroughAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents": answer(`{}`)})
	go func() {
		to, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(to, "quorate_test_abc\n") // what was not written is missed below
		_ = to.Close()
	}()
	if exit, _, stderr := run(t.Context(), "", "agents", "list", "--server", g.url, "--token-file", pipe); exit != 0 {
		t.Errorf("Main(agents list) = %d, %q, want 0", exit, stderr)
	}
}
