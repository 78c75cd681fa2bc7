package dynamotest

import (
	"context"
	"net"
	"os/exec"
	"sync"

	"github.com/quorate/quorate/platform/proctest"
)

const startTries = 5

var shared emulator

// emulator is the emulator process of a test binary.
type emulator struct {
	mu       sync.Mutex
	endpoint string            // guarded by mu; empty if it is not running
	process  *proctest.Process // guarded by mu
}

// start returns the endpoint of the running emulator.
func (e *emulator) start(binary string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.endpoint != "" {
		return e.endpoint, nil
	}
	var err error
	for range startTries { // another program may take the free port first
		if err = e.try(binary); err == nil {
			return e.endpoint, nil
		}
	}
	return "", err
}

func (e *emulator) try(binary string) error {
	address, err := proctest.FreeAddress(context.Background())
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	p, err := proctest.Start(exec.Command(binary, "--host", host, "--port", port), address) //nolint:noctx // stop ends it
	if err != nil {
		return err
	}
	e.endpoint, e.process = "http://"+address, p
	return nil
}

func (e *emulator) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.endpoint == "" {
		return
	}
	e.process.Stop()
	e.endpoint = ""
}
