package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func TestComposeRunsWhatQuorateKnows(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{filepath.Join(folder, "compose", "compose.yaml")}, cli.WithEnv([]string{"QUORATE_UID=1000"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatalf("LoadProject() = %v, want no error", err)
	}
	settings, err := os.ReadFile(filepath.Join(folder, "compose", "quorate.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	accepted(t, string(settings))
	replicas := 0
	for name, service := range project.Services {
		for _, v := range service.Volumes {
			if _, err := os.Stat(v.Source); err != nil && filepath.Base(v.Source) != "secrets" { // which prepare makes
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
		if service.Image != "quorate" {
			continue
		}
		if refused := quorate(t, append(slices.Clone(service.Command), "--help")...); refused != "" {
			t.Errorf("the command of %s is refused: %s", name, refused)
		}
		if service.Command[0] == "serve" {
			replicas++
			published(t, service, string(settings))
		}
	}
	if replicas != 3 {
		t.Errorf("there are %d replicas, want 3", replicas)
	}
}

// published fails the test when a port is none that the configuration listens on, or is open to others than this machine.
func published(t *testing.T, service types.ServiceConfig, settings string) {
	t.Helper()
	if len(service.Ports) != 2 || !strings.Contains(settings, "allowedHosts: [") || !strings.Contains(settings, service.Name) {
		t.Errorf("%s has %d ports, want 2 and its name in allowedHosts", service.Name, len(service.Ports))
	}
	grpc := service.Environment["QUORATE_GRPC_ADDR"]
	if grpc == nil {
		t.Fatalf("%s has no address of its own for gRPC, want that of its published port, which its card names", service.Name)
	}
	for _, p := range service.Ports {
		port := strconv.Itoa(int(p.Target))
		listens := *grpc == "0.0.0.0:"+port && p.Published == port || strings.Contains(settings, "addr: 0.0.0.0:"+port)
		if !listens || p.HostIP != "127.0.0.1" {
			t.Errorf("%s publishes %s at %s:%s, want a port that it listens on at 127.0.0.1, and that of gRPC as what it is", service.Name, port, p.HostIP, p.Published)
		}
	}
}

// Otherwise whoever is not user 1000, and starts the replicas in another shell than prepare, has replicas that may not read their secrets.
func TestReplicasRunAsWhoeverPreparedTheirSecrets(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	compose := filepath.Join(root, "deploy", "compose")
	if err := os.CopyFS(compose, os.DirFS(filepath.Join(folder, "compose"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(compose, "admin.token")); err != nil { // of whoever has prepared this folder, too
		t.Fatal(err)
	}
	keys := "#!/bin/sh\necho a-key\necho a-line\n" // in place of what runs quorate keys new
	if err := os.WriteFile(filepath.Join(root, "go"), []byte(keys), 0o700); err != nil {
		t.Fatal(err)
	}
	prepare := exec.CommandContext(t.Context(), "bash", filepath.Join(compose, "prepare"))
	prepare.Env = []string{"PATH=" + root + ":" + os.Getenv("PATH")}
	if out, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("prepare = %v, want no error\n%s", err, out)
	}
	options, err := cli.NewProjectOptions([]string{filepath.Join(compose, "compose.yaml")}, cli.WithEnvFiles(), cli.WithDotEnv)
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatalf("compose.yaml = %v, want no error", err)
	}
	if got, want := project.Services["quorate-1"].User, strconv.Itoa(os.Getuid()); got != want {
		t.Errorf("a replica runs as user %q, want %s, who made its secrets", got, want)
	}
}
