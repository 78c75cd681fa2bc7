// Package proctest runs external programs that tests need, such as an emulator, on the loopback interface, and ends them with the test binary.
package proctest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/quorate/quorate/platform/config"
)

const (
	startTime = 20 * time.Second
	pollPause = 5 * time.Millisecond
)

// Binary returns the file of a program: the one that the environment variable env names, or else name in the folder .bin of the workspace, where the script .ci/name
// installs it.
func Binary(name, env string) (string, error) {
	if binary := config.Env(env); binary != "" {
		return binary, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
			break
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("set %s", env)
		}
		folder = parent
	}
	binary := filepath.Join(folder, ".bin", name)
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("run .ci/%s, which installs it as .bin/%s, or set %s", name, name, env)
	}
	return binary, nil
}

// Process is a running program.
type Process struct {
	process *os.Process
	ended   chan struct{}
}

// Start starts cmd and waits until the addresses accept connections. After an error, nothing is running.
func Start(cmd *exec.Cmd, addresses ...string) (*Process, error) {
	cmd.SysProcAttr = withParent()
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the process is killed when the thread that started it ends, so the thread has to stay
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // an error is expected, because it is killed
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p := &Process{process: cmd.Process, ended: ended}
	for _, address := range addresses {
		if err := p.reachable(address); err != nil {
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// reachable waits until the address accepts connections.
func (p *Process) reachable(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ticker.C:
		case <-p.ended:
			return errors.New("the program ended at once")
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", address, err)
		}
	}
}

// Stop ends the program and waits for its end.
func (p *Process) Stop() {
	_ = p.process.Kill()
	<-p.ended
}

// FreeAddress returns an address of the loopback interface on which nobody listens. On Linux, where all of 127.0.0.0/8 is loopback, it has a random host: on 127.0.0.1
// any other process that asks for a free port could get this one before it is used. On other systems that can happen.
func FreeAddress(ctx context.Context) (string, error) {
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)) //nolint:gosec,mnd // not a secret
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
