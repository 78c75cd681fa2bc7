// Package interrupt ends a program by signals: the first asks it to stop, the second ends it at once.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is canceled by the first SIGINT, SIGTERM or, unless it is ignored as under nohup, SIGHUP. By then these signals do
// what they do without a handler, so that a second one ends the process, however soon it comes. signal.NotifyContext cancels first: a signal between
// that and its stop is lost.
func Context() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan os.Signal, 1)
	signal.Notify(first, signals...)
	go func() {
		<-first
		signal.Stop(first)
		cancel()
	}()
	return ctx
}
