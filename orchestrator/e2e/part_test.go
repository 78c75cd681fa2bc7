package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
)

// The parts that a benchmark needs besides Quorate are this test binary again, each in a process of its own.
var (
	partFlag = flag.String("part", "", "be a part of a benchmark: agent, sdk-agent, floor or edge")
	partOf   = flag.String("of", "", "the agent behind the floor or the edge: its addresses as JSON")
	partName = flag.String("name", "", "the name of the agent behind the edge")
)

// addresses are where a part is served, and its one line of output.
type addresses struct{ GRPC, HTTP string }

// listeners are one for gRPC and one for HTTP.
type listeners [2]net.Listener

// runPart serves until the process is killed.
func runPart(name string) int {
	err := servePart(name)
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

func servePart(name string) error {
	var over listeners
	for n := range over {
		var err error
		if over[n], err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
			return err
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(addresses{over[0].Addr().String(), "http://" + over[1].Addr().String()}); err != nil {
		return err
	}
	switch name {
	case "agent":
		return new(plainAgent).serve(over)
	case "sdk-agent":
		return sdkAgent{}.serve(over)
	}
	var agent addresses
	if err := json.Unmarshal([]byte(*partOf), &agent); err != nil {
		return err
	}
	if name == "edge" {
		return edge{agent: agent, name: *partName}.serve(over)
	}
	return floor{agent}.serve(over)
}

// startPart starts a part and returns it with its addresses.
func startPart(tb testing.TB, args ...string) (i *instance, at addresses) {
	tb.Helper()
	i = &instance{t: tb, done: make(chan struct{})}
	i.cmd = exec.CommandContext(context.WithoutCancel(tb.Context()), os.Args[0], args...)
	out, err := i.cmd.StdoutPipe()
	if err == nil {
		err = i.cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go func() {
		i.err = i.cmd.Wait()
		close(i.done)
	}()
	tb.Cleanup(i.kill)
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil {
		tb.Fatalf("%q does not start: %v", args, err)
	}
	return i, at
}
