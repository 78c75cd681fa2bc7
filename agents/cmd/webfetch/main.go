// Command webfetch is the web-fetch agent, and fetches one page when it is given a URL.
package main

import (
	"os"

	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/interrupt"
	"github.com/quorate/quorate/platform/telemetry"
)

func main() {
	telemetry.CaptureGRPC()
	os.Exit(cli.Main(interrupt.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
