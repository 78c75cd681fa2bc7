//go:build linux || darwin

package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/orchestrator/cli"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/config"
)

// configOfChild is the environment variable that names the configuration of a server in a process of its own.
const configOfChild = "QUORATE_TEST_SERVE"

// TestAServerOutlivesTheReaderOfItsLog runs itself in a process of its own, since a write to a pipe that nobody reads ends the whole process.
func TestAServerOutlivesTheReaderOfItsLog(t *testing.T) {
	if file := config.Env(configOfChild); file != "" {
		ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
		defer stop()
		if exit := cli.Main(ctx, []string{"serve", "--config", file}, strings.NewReader(""), os.Stdout, os.Stderr); exit != 0 {
			t.Fatalf("Main(serve) = %d, want 0", exit)
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	keys := write(t, "keys", auth.KeyLine(auth.NewToken("api"), auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}})+"\n")
	file := write(t, "quorate.yaml", "http: {addr: '127.0.0.1:0'}\ngrpc: {addr: '127.0.0.1:0'}\nauth: {keysFile: '"+keys+"'}\nstore: {dataDir: '"+filepath.Join(dir, "data")+"'}\n")
	log, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env, cmd.Stderr = append(os.Environ(), configOfChild+"="+file), stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := stderr.Close(); err != nil {
		t.Error(err)
	}
	served := false
	for lines := bufio.NewScanner(log); !served && lines.Scan(); {
		served = strings.Contains(lines.Text(), `"msg":"serving","protocol":"http"`)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || !served { // it logs that it stops
		t.Errorf("the server ended with %v, served: %t; want it to serve and to stop in order", err, served)
	}
}
