package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Calls of DynamoDB that read or write items, of which a transaction has several. Those that `quorate tables apply` makes are not for replicas.
var (
	itemCall = regexp.MustCompile(`dynamodb\.(Query|Scan|\w+Item|ExecuteStatement)Input\{`)
	itemPart = regexp.MustCompile(`types\.(Put|Update|Delete|ConditionCheck|Get)\{`)
	action   = regexp.MustCompile(`"dynamodb:(\w+)"`)
)

// Emulators permit everything: that an action is missing would be seen on AWS only, and that one is too much by nobody.
func TestReplicasMayDoWhatTheyDo(t *testing.T) {
	t.Parallel()
	var want []string
	for _, module := range []string{"platform", "registry", "consultation", "orchestrator", "agents"} {
		if err := filepath.WalkDir(filepath.Join(folder, "..", module), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, found := range itemCall.FindAllSubmatch(text, -1) {
				want = append(want, string(found[1]))
			}
			for _, found := range itemPart.FindAllSubmatch(text, -1) {
				want = append(want, string(found[1])+"Item")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "terraform", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, found := range action.FindAllSubmatch(text, -1) {
		got = append(got, string(found[1]))
	}
	slices.Sort(got)
	slices.Sort(want)
	want = slices.Compact(want)
	if !slices.Equal(got, want) {
		t.Errorf("the policy of a replica allows %q, want what the code calls: %q", got, want)
	}
}
