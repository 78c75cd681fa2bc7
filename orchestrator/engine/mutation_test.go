package engine_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheSimulationNoticesWhatIsMissing takes what the engine's safety rests on out of it, one at a time, and sees the simulation of replicas fail each
// time: a simulation that passes without them would show nothing.
func TestTheSimulationNoticesWhatIsMissing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the package anew for each part that is taken out; make test does, make race does not")
	}
	for name, x := range map[string]struct{ file, old, mutated, complaint string }{
		"the epoch condition": {
			file: "update.go", old: "t.OwnerEpoch > read.OwnerEpoch || t.Ended()", mutated: "t.Ended()",
			complaint: "was written under epoch",
		},
		"the stored intent": {
			file: "intent.go", old: "\ta.Sends++\n", mutated: "",
			complaint: "were written down before",
		},
		"the rescan": {
			file: "scan.go", old: "\t\tfor _, k := range keys {\n\t\t\te.runners.recheck(k)\n\t\t}\n", mutated: "",
			complaint: "want completed once",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay(t, x.file, x.old, x.mutated),
				"-run", "^TestNothingAcceptedIsLostAmongReplicas$/^2_replicas$", "-failfast", ".").CombinedOutput()
			if err == nil {
				t.Errorf("the simulation passes without %s", name)
			}
			if !strings.Contains(string(output), x.complaint) {
				t.Errorf("without %s the simulation says nothing of %q:\n%.4000s", name, x.complaint, output)
			}
		})
	}
}

// overlay returns a file that has the go command see a source file with one place of it changed.
func overlay(t *testing.T, file, old, mutated string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), old); n != 1 {
		t.Fatalf("%s has %q %d times, want once: keep this test in step with the engine", file, old, n)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, file)
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), old, mutated, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}
