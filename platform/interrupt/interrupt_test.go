package interrupt_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/interrupt"
)

// TestMain is also the program of the test: with an argument it says when it may be asked to stop, and when it was.
func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != "program" {
		os.Exit(m.Run())
	}
	ctx := interrupt.Context()
	_, _ = os.Stdout.WriteString("ready\n")
	<-ctx.Done()
	_, _ = os.Stdout.WriteString("stopping\n")
	select {} // what it waits for does not end
}

func TestTheSecondSignalEndsTheProcessHoweverSoonItComes(t *testing.T) {
	t.Parallel()
	limit, cancel := context.WithTimeout(t.Context(), time.Minute) // a program that ignores the signal is killed
	defer cancel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // as under nohup, or in the background of a shell
			continue
		}
		for range 20 {
			program := exec.CommandContext(limit, os.Args[0], "program")
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			for _, want := range []string{"ready\n", "stopping\n"} {
				if got, err := lines.ReadString('\n'); got != want {
					t.Fatalf("the program said %q, %v, want %q", got, err, want)
				}
				if err := program.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			_, _ = io.Copy(io.Discard, lines)
			exit, ok := errors.AsType[*exec.ExitError](program.Wait())
			if !ok || exit.Sys().(syscall.WaitStatus).Signal() != s { //nolint:forcetypeassert // it is no other type on Unix
				t.Errorf("after two of %s the program ended with %v, want that the second one ended it", s, exit)
			}
		}
	}
}
