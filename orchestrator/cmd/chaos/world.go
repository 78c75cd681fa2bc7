package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/proctest"
	"github.com/quorate/quorate/platform/restclient"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const (
	callTimeout = 3 * time.Second // a replica that is stopped gives no answer
	tablePrefix = "chaos-"
)

// world is everything that runs.
type world struct {
	dir      string
	bin      string
	emulator *process
	replicas []*replica
	agents   *agents
	tokens   map[string]auth.Secret // of the agents, by their names
	leave    context.CancelFunc     // ends the agents; nil before they run
	left     <-chan error           // of each agent that has ended
}

// replica is a `quorate serve`.
type replica struct {
	*process
	url    string
	client *restclient.Client
}

// newWorld starts everything, and returns what has to be closed also with an error.
func newWorld(ctx context.Context, bin, dir string) (*world, error) {
	w := &world{dir: dir, bin: bin, agents: newAgents(), tokens: make(map[string]auth.Secret)}
	address, err := proctest.FreeAddress(ctx)
	if err != nil {
		return w, err
	}
	host, port, _ := net.SplitHostPort(address)
	w.emulator = w.process("dynoxide", "--host", host, "--port", port)
	if err := w.emulator.start(ctx); err != nil {
		return w, err
	}
	if err := w.emulator.until(ctx, "the emulator listens", func() bool { return dials(ctx, address) }); err != nil {
		return w, err
	}
	endpoint := "http://" + address
	apply := exec.CommandContext(ctx, filepath.Join(bin, "quorate"), "tables", "apply", "--endpoint", endpoint, "--table-prefix", tablePrefix) //nolint:gosec // the program under test
	if said, err := apply.CombinedOutput(); err != nil {
		return w, fmt.Errorf("creating the tables: %w\n%s", err, said)
	}
	if err := w.startReplicas(ctx, endpoint); err != nil {
		return w, err
	}
	return w, w.startAgents(ctx)
}

// process returns a program of the folder of programs, which does not run yet.
func (w *world) process(name string, args ...string) *process {
	program, _, _ := strings.Cut(name, "-")
	return &process{name: name, args: append([]string{filepath.Join(w.bin, program)}, args...), log: filepath.Join(w.dir, name+".log")}
}

// startReplicas writes their configuration and starts them.
func (w *world) startReplicas(ctx context.Context, endpoint string) error {
	admin, err := w.writeSecrets()
	if err != nil {
		return err
	}
	for i := range replicas {
		web, err := proctest.FreeAddress(ctx)
		if err != nil {
			return err
		}
		grpc, err := proctest.FreeAddress(ctx)
		if err != nil {
			return err
		}
		file := filepath.Join(w.dir, fmt.Sprintf("replica%d.yaml", i))
		config := fmt.Sprintf("http: {addr: %q}\ngrpc: {addr: %q}\nstore: {kind: dynamodb, endpoint: %q, tablePrefix: %q, lease: 3s, pageKeyFile: %q}\nauth: {keysFile: %q}\nagents: {allowLoopback: true}\n",
			web, grpc, endpoint, tablePrefix, filepath.Join(w.dir, "page.key"), filepath.Join(w.dir, "keys"))
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			return err
		}
		client, err := restclient.New("http://"+web, admin, &http.Client{Timeout: callTimeout})
		if err != nil {
			return err
		}
		r := &replica{process: w.process(fmt.Sprint("quorate-", i), "serve", "--config", file), url: "http://" + web, client: client}
		w.replicas = append(w.replicas, r)
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	for _, r := range w.replicas {
		if err := r.until(ctx, r.name+" is ready", func() bool { return r.ready(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// ready reports whether the replica serves.
func (r *replica) ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/readyz", nil)
	if err != nil {
		return false
	}
	answer, err := new(http.Client).Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// writeSecrets writes the files with secrets that replicas share, and returns the token of an admin.
func (w *world) writeSecrets() (admin auth.Secret, err error) {
	admin = auth.NewToken("api")
	keys := []string{auth.KeyLine(admin, auth.Principal{Name: "chaos", Roles: []auth.Role{auth.RoleAdmin}})}
	for name := range w.agents.configs() {
		w.tokens[name] = auth.NewToken("agent")
		keys = append(keys, auth.KeyLine(w.tokens[name], auth.Principal{Name: name, Roles: []auth.Role{auth.RoleAgent}}))
	}
	pageKey := make([]byte, 32)
	_, _ = rand.Read(pageKey) // never returns an error since Go 1.24
	for name, text := range map[string]string{"keys": strings.Join(keys, "\n"), "page.key": hex.EncodeToString(pageKey) + "\n"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return admin, nil
}

// startAgents starts the agents, and waits until all have joined.
func (w *world) startAgents(ctx context.Context) (err error) {
	first := w.replicas[0]
	ctx, w.leave = context.WithCancel(ctx)
	if w.left, err = w.agents.serve(ctx, first.url, w.tokens); err != nil {
		return err
	}
	return first.until(ctx, "the agents have joined", func() bool {
		joined := &registryv1.ListAgentsResponse{}
		err := first.client.Call(ctx, http.MethodGet, "/v1/agents", nil, nil, joined)
		return err == nil && len(joined.GetAgents()) == len(w.tokens)
	})
}

// close ends everything.
func (w *world) close() {
	if w.leave != nil {
		w.leave()
	}
	for _, r := range w.replicas {
		_ = r.kill()
	}
	if w.emulator != nil {
		_ = w.emulator.kill()
	}
}

func dials(ctx context.Context, address string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
