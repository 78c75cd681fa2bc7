// Command quorate is a registry and a router for A2A agents: the server and its client in one program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/quorate/quorate/orchestrator/cli"
	"github.com/quorate/quorate/platform/telemetry"
)

func main() {
	telemetry.CaptureGRPC()
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
