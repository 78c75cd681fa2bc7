package dynamotest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/config"
)

const (
	startTries = 5
	startTime  = 10 * time.Second
	pollPause  = 5 * time.Millisecond
)

var shared emulator

// emulator is the one process of a test binary.
type emulator struct {
	mu       sync.Mutex
	endpoint string        // guarded by mu; empty when it does not run
	process  *os.Process   // guarded by mu
	ended    chan struct{} // guarded by mu
}

// findBinary returns the emulator's file: the one that QUORATE_TEST_DYNOXIDE names, or .bin/dynoxide of the workspace.
func findBinary() (string, error) {
	if binary := config.Env(envBinary); binary != "" {
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
			return "", fmt.Errorf("set %s or %s", envEndpoint, envBinary)
		}
		folder = parent
	}
	binary := filepath.Join(folder, ".bin", "dynoxide")
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("run .ci/dynoxide, which installs the emulator as .bin/dynoxide, or set %s", envEndpoint)
	}
	return binary, nil
}

// start returns the endpoint of the running emulator.
func (e *emulator) start(binary string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.endpoint != "" {
		return e.endpoint, nil
	}
	var err error
	for range startTries { // somebody else may take the port that was free
		if err = e.try(binary); err == nil {
			return e.endpoint, nil
		}
	}
	return "", err
}

func (e *emulator) try(binary string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	started, ended := make(chan error, 1), make(chan struct{})
	cmd := exec.Command(binary, "--host", "127.0.0.1", "--port", strconv.Itoa(port)) //nolint:gosec,noctx // the tests' own binary, which stop ends
	cmd.SysProcAttr = withParent()
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the signal comes when the thread that started the process ends, so it has to stay
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it ends by being killed
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := reachable(address, ended); err != nil {
		_ = cmd.Process.Kill()
		<-ended
		return err
	}
	e.endpoint, e.process, e.ended = "http://"+address, cmd.Process, ended
	return nil
}

func freePort() (int, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("the listener has no TCP address")
	}
	return address.Port, nil
}

// reachable waits until the address can be dialled.
func reachable(address string, ended <-chan struct{}) error {
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
		case <-ended:
			return errors.New("the emulator ended at once")
		case <-ctx.Done():
			return fmt.Errorf("waiting for the emulator: %w", err)
		}
	}
}

func (e *emulator) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.endpoint == "" {
		return
	}
	_ = e.process.Kill()
	<-e.ended
	e.endpoint = ""
}
