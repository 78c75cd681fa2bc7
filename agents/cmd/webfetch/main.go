// Command webfetch is the web-fetch agent, and fetches one page when it is given a URL.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/telemetry"
)

func main() {
	telemetry.CaptureGRPC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
