package serve

import (
	"context"
	"log/slog"

	"github.com/quorate/quorate/orchestrator/doctor"
)

// discard is the logger of checks, whose findings are printed instead.
func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Checks returns the checks of everything that a server with a valid configuration needs. They change nothing, and may run beside such a server.
func Checks(c Config) []doctor.Check {
	return []doctor.Check{
		{Name: "http.addr", Run: c.checkHTTP},
		{Name: "grpc.addr", Run: c.checkGRPC},
		{Name: "readiness", Run: c.checkReady},
		{Name: "tls", Run: c.checkTLS},
		{Name: "auth.keysFile", Run: c.checkKeys},
		{Name: "auth.oidc", Run: c.checkProvider},
		{Name: "store", Run: c.checkStore},
		{Name: "store.pageKeyFile", Run: c.checkPageKey},
		{Name: "disk", Run: c.checkDisk},
		{Name: "backup", Run: c.checkBackup},
		{Name: "clock", Run: c.checkClock},
		{Name: "agents.cardFolder", Run: c.checkCards},
		{Name: "agents.credentialsFile", Run: c.checkCredentials},
		{Name: "evidence.jaeger", Run: c.checkJaeger},
		{Name: "evidence.cloudWatch", Run: c.checkCloudWatch},
		{Name: "routing.embeddings", Run: c.checkEmbeddings},
		{Name: "telemetry.otlpEndpoint", Run: c.checkCollector},
	}
}

func notConfigured(context.Context) doctor.Finding { return doctor.Skipped("not configured") }
