package console_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/auth"
)

// startServe runs production mode for an admin and a viewer until the test ends, and returns where it is and their keys.
func startServe(t *testing.T) (url, admin, viewer string) {
	t.Helper()
	dir, keys := t.TempDir(), ""
	for key, p := range map[*string]auth.Principal{
		&admin:  {Name: "ops", Roles: []auth.Role{auth.RoleAdmin}},
		&viewer: {Name: "ann", Roles: []auth.Role{auth.RoleViewer}},
	} {
		token := auth.NewToken("api")
		*key, keys = token.Reveal(), keys+auth.KeyLine(token, p)+"\n"
	}
	cfg := serve.DefaultConfig()
	cfg.HTTP.Addr, cfg.GRPC.Addr, cfg.Store.DataDir, cfg.Auth.KeysFile = "127.0.0.1:0", "127.0.0.1:0", filepath.Join(dir, "data"), filepath.Join(dir, "keys")
	if err := os.WriteFile(cfg.Auth.KeysFile, []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	log, said := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() {
		err := serve.Run(ctx, cfg, "0.0.0", said)
		said.CloseWithError(err)
		if err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	lines := json.NewDecoder(log)
	for url == "" {
		var line struct{ Msg, Protocol, Address string }
		if err := lines.Decode(&line); err != nil {
			t.Fatalf("production mode does not serve: %v", err)
		}
		if line.Msg == "serving" && line.Protocol == "http" {
			url = "http://" + line.Address
		}
	}
	wg.Go(func() { _, _ = io.Copy(io.Discard, log) })
	return url, admin, viewer
}
