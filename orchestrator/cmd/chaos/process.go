package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopTime is how long a program may take to end well.
const stopTime = 30 * time.Second

// process is a program that runs, is killed and started again.
type process struct {
	name string
	args []string
	log  string // file that its output is appended to

	mu   sync.Mutex
	cmd  *exec.Cmd     // guarded by mu; nil while it does not run
	done chan struct{} // guarded by mu; closed when cmd has ended
}

// start runs the program.
func (p *process) start(ctx context.Context) error {
	file, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), p.args[0], p.args[1:]...) //nolint:gosec // the programs under test; close ends them
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting %s: %w", p.name, err), file.Close())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // it is killed
		_ = file.Close()
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.done = cmd, done
	return nil
}

// signal sends a signal, if the program runs.
func (p *process) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("sending %s to %s: %w", s, p.name, err)
	}
	return nil
}

// kill ends the program as a crash does, and waits for it.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	p.mu.Lock()
	done := p.done
	p.cmd = nil
	p.mu.Unlock()
	if done != nil {
		<-done
	}
	return nil
}

// stop asks the program to end and waits until it has, which must be soon and well.
func (p *process) stop(ctx context.Context) error {
	p.mu.Lock()
	cmd := p.cmd
	p.mu.Unlock()
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	select {
	case <-p.ended():
	case <-ctx.Done():
		return fmt.Errorf("%s does not end after SIGTERM: %w; it said:\n%s", p.name, ctx.Err(), tail(p.log))
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with %d after SIGTERM; it said:\n%s", p.name, code, tail(p.log))
	}
	return nil
}

// ended tells when the program has ended.
func (p *process) ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// until waits for a condition while the program runs.
func (p *process) until(ctx context.Context, what string, holds func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for !holds() {
		select {
		case <-p.ended():
			return fmt.Errorf("%s ended before %s; it said:\n%s", p.name, what, tail(p.log))
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; it said:\n%s", what, ctx.Err(), tail(p.log))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// tail returns the end of a log.
func tail(file string) string {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return err.Error()
	}
	const most = 2000
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}
