package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoSkills = `[{"id":"bake","name":"Bake a cake"},{"id":"wash","name":"Wash a car"}]`

// folder writes a set.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestASetIsScored(t *testing.T) {
	t.Parallel()
	const right = "{\"text\":\"bake me a cake\",\"skill\":\"bake\"}"
	for name, files := range map[string]map[string]string{
		"as documented":             {"test.jsonl": right + "\n"},
		"with a line of refusals":   {"test.jsonl": right + "\n{\"text\":\"sing\",\"skill\":\"oos\"}\n", "train.jsonl": "{\"text\":\"dance\",\"skill\":\"oos\"}\n"},
		"with other ends of lines":  {"test.jsonl": right + "\r\n\r\n" + right + "\r\n"},
		"with a byte order mark":    {"test.jsonl": "\ufeff" + right},
		"with what is not known":    {"test.jsonl": "{\"id\":7," + right[1:]},
		"with a line of a megabyte": {"test.jsonl": right + "\n{\"text\":\"" + strings.Repeat("sing ", 1<<18) + "\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files["skills.json"] = twoSkills
			var out strings.Builder
			if err := run([]string{folder(t, files)}, &out); err != nil || !strings.Contains(out.String(), "skill R@1     1.0000") {
				t.Errorf("run() = %v, want every skill found in:\n%s", err, &out)
			}
		})
	}
}

func TestWhatCannotBeScoredIsNamed(t *testing.T) {
	t.Parallel()
	const text = "{\"text\":\"x\",\"skill\":\"bake\"}\n"
	for name, x := range map[string]struct {
		skills, train, test, flag, want string
	}{
		"a skill that is not there":     {twoSkills, text + "{\"text\":\"x\",\"skill\":\"fly\"}", text, "", `train.jsonl, line 2: skills.json has no skill "fly"`},
		"an agent that is not there":    {twoSkills, "", "{\"text\":\"x\",\"skill\":\"bake\",\"agent\":\"cook\"}", "", `line 1: skills.json has no skill "bake" of agent "cook"`},
		"an example of nothing":         {twoSkills, "{\"text\":\"x\"}", text, "", `train.jsonl, line 1: names no "skill"`},
		"a line without a text":         {twoSkills, "", "{\"query\":\"x\"}", "", `test.jsonl, line 1: has no "text"`},
		"no texts":                      {twoSkills, "", "\n", "", "test.jsonl holds no texts"},
		"a skill without an id":         {`[{"id":"a"},{"name":"b"}]`, "", text, "", "skill 2 has no id"},
		"a share of all false refusals": {twoSkills, "", text + "{\"text\":\"y\"}", "-false-refusal=1", "above 0 and below 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{folder(t, map[string]string{"skills.json": x.skills, "train.jsonl": x.train, "test.jsonl": x.test})}
			if x.flag != "" {
				args = append([]string{x.flag}, args...)
			}
			err := run(args, &strings.Builder{})
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("run() = %v, want %q", err, x.want)
			}
		})
	}
}

func TestWhatCannotBeMeasuredIsNotAZero(t *testing.T) {
	t.Parallel()
	const (
		cake = `{"text":"bake me a cake","skill":"bake"}` + "\n"
		song = `{"text":"flibber the grommet"}` + "\n"
		coal = `{"text":"qwzx","skill":"bake"}` + "\n"
	)
	for name, x := range map[string]struct {
		test string
		want []string
	}{
		"no text fits":          {song, []string{"skill R@1     n/a", "recall 1.0000 at n/a false", "AUROC n/a", "n/a: no text fits a skill"}},
		"every text fits":       {cake, []string{"skill R@1     1.0000", "recall n/a at 0.0000 false", "AUROC n/a", "n/a: every text fits a skill"}},
		"both kinds":            {cake + song, []string{"skill R@5     1.0000", "recall 1.0000 at 0.0000 false", "AUROC 1.0000"}},
		"nothing tells apart":   {coal + song, []string{"skill R@1     0.0000", "AUROC 0.5000"}},
		"a quarter tells apart": {cake + coal + song, []string{"skill R@1     0.5000", "AUROC 0.7500"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run([]string{folder(t, map[string]string{"skills.json": twoSkills, "test.jsonl": x.test})}, &out)
			for _, want := range x.want {
				if err != nil || !strings.Contains(out.String(), want) {
					t.Errorf("run() = %v, want %q in:\n%s", err, want, &out)
				}
			}
		})
	}
}
