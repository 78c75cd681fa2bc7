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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
