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
		"no texts":                      {twoSkills, "", "\n", "", "holds no texts to ask"},
		"a skill without an id":         {`[{"id":"a"},{"name":"b"}]`, "", text, "", `skill 2: has no "id"`},
		"a share of all false refusals": {twoSkills, "", text + "{\"text\":\"y\"}", "-false-refusal=1", "above 0 and below 1"},
		"no skills":                     {"[]", "", `{"text":"x"}`, "", "lists no skills"},
		"a skill that is listed twice":  {`[{"id":"a"},{"agent":"b","id":"a"},{"id":"a"}]`, "", text, "", `skill 3: skill "a" of agent "a" is listed twice`},
		"a number for an id":            {`[{"id":7}]`, "", text, "", `skill 1: "id" is of type number, where a string is expected`},
		"a string for a list":           {`[{"id":"a","tags":"b"}]`, "", text, "", `skill 1: "tags" is of type string, where a list is expected`},
		"an object for all skills":      {`{"bake":{}}`, "", text, "", "skills.json: object where a list is expected"},
		"a list for a line":             {twoSkills, "", `["x","bake"]`, "", "test.jsonl, line 1: array where an object is expected"},
		"what is not JSON":              {"[\n{\"id\":\"a\"},\n}]", "", text, "", "skills.json, line 3: invalid character"},
		"an agent without a skill":      {twoSkills, "", `{"text":"x","agent":"bake"}`, "", `names agent "bake", but no "skill"`},
		"another encoding":              {twoSkills, "", text + "{\"text\":\"K\xfcche\"}", "", "test.jsonl, line 2: is not UTF-8"},
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

func TestARightSkillCountsOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := run([]string{folder(t, map[string]string{"skills.json": twoSkills, "test.jsonl": `{"text":"bake a cake","skill":"bake","skills":["bake","bake"]}`})}, &out)
	for _, want := range []string{"skill R@1     1.0000", "skill R@5     1.0000", "skill NDCG@5  1.0000"} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("run() = %v, want %q in:\n%s", err, want, &out)
		}
	}
}

func TestASkillMayBeNamedLikeWhatIsRefused(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := run([]string{folder(t, map[string]string{
		"skills.json": `[{"id":"oos","name":"Out of stock"},{"id":"bake","name":"Bake a cake"}]`,
		"train.jsonl": `{"text":"is it sold out","skill":"oos"}`,
		"test.jsonl":  `{"text":"out of stock","skill":"oos"}`,
	})}, &out)
	if err != nil || !strings.Contains(out.String(), "2 agents, 1 examples") || !strings.Contains(out.String(), "skill R@1     1.0000") {
		t.Errorf("run() = %v, want the example learned and the skill found in:\n%s", err, &out)
	}
}

func TestCLINC150IsReadAsItIsPublished(t *testing.T) {
	t.Parallel()
	const data, domains = `{"train":[["bake me a cake","bake"]],"test":[["bake a cake","bake"],["wash my car","wash"]],"oos_test":[["flibber","oos"]]}`, `{"kitchen":["bake"],"garage":["wash"]}`
	for name, x := range map[string]struct{ data, domains, want string }{
		"as published":              {data, domains, "skill R@1     1.0000"},
		"an intent of no domain":    {data, `{"kitchen":["bake"]}`, `no domain in domains.json has the intent "wash"`},
		"an intent of a domain too": {data, `{"kitchen":["bake","bake"]}`, `skill "bake" of agent "kitchen" is listed twice`},
		"nothing to ask":            {`{"train":[]}`, domains, "holds no texts to ask"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run([]string{folder(t, map[string]string{clincData: x.data, clincDomains: x.domains})}, &out)
			if err != nil {
				out.WriteString(err.Error())
			}
			if !strings.Contains(out.String(), x.want) {
				t.Errorf("run() says %q, want %q", &out, x.want)
			}
		})
	}
}
