// Command quorate is a registry and a router for A2A agents: the server and its client in one program.
package main

import (
	"os"

	"github.com/quorate/quorate/orchestrator/cli"
	"github.com/quorate/quorate/platform/interrupt"
	"github.com/quorate/quorate/platform/telemetry"
)

func main() {
	telemetry.CaptureGRPC()
	os.Exit(cli.Main(interrupt.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
