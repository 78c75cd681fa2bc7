package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// set is what a folder holds.
type set struct {
	skills []text.Skill
	tests  []test
}

// test is a text with what is right for it; nothing means that it must be refused.
type test struct {
	text  string
	right []label
}

type label struct{ agent, skill string }

func (s *set) agents() int {
	var names []string
	for _, x := range s.skills {
		names = append(names, x.Agent)
	}
	slices.Sort(names)
	return len(slices.Compact(names))
}

func (s *set) examples() (n int) {
	for _, x := range s.skills {
		n += len(x.Examples)
	}
	return n
}

// line is a line of train.jsonl or test.jsonl.
type line struct {
	Text   string   `json:"text"`
	Agent  string   `json:"agent"`
	Skill  string   `json:"skill"`
	Skills []string `json:"skills"`
}

const outOfScope = "oos"

func read(dir string) (*set, error) {
	if _, err := os.Stat(filepath.Join(dir, "data_full.json")); err == nil {
		return readCLINC(dir)
	}
	var list []struct {
		Agent       string   `json:"agent"`
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Tags        []string `json:"tags"`
		Examples    []string `json:"examples"`
		Inputs      []string `json:"inputs"`
		Outputs     []string `json:"outputs"`
	}
	if err := readJSON(filepath.Join(dir, "skills.json"), &list); err != nil {
		return nil, err
	}
	s := &set{}
	byID := make(map[string][]int)
	for _, x := range list {
		if x.Agent == "" {
			x.Agent = x.ID
		}
		byID[x.ID] = append(byID[x.ID], len(s.skills))
		s.skills = append(s.skills, text.Skill{
			Agent: x.Agent, ID: x.ID, Name: x.Name, Description: x.Description, Tags: x.Tags, Examples: x.Examples, Inputs: x.Inputs, Outputs: x.Outputs,
		})
	}
	find := func(agent, id string) ([]int, error) {
		found := slices.DeleteFunc(slices.Clone(byID[id]), func(i int) bool { return agent != "" && s.skills[i].Agent != agent })
		if len(found) == 0 {
			return nil, fmt.Errorf("skills.json has no skill %q of agent %q", id, agent)
		}
		return found, nil
	}
	err := readLines(filepath.Join(dir, "train.jsonl"), func(l line) error {
		found, err := find(l.Agent, l.Skill)
		for _, i := range found {
			s.skills[i].Examples = append(s.skills[i].Examples, l.Text)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return s, readLines(filepath.Join(dir, "test.jsonl"), func(l line) error {
		t := test{text: l.Text}
		for _, id := range append(l.Skills, l.Skill) {
			if id == "" || id == outOfScope {
				continue
			}
			found, err := find(l.Agent, id)
			if err != nil {
				return err
			}
			for _, i := range found {
				t.right = append(t.right, label{s.skills[i].Agent, id})
			}
		}
		s.tests = append(s.tests, t)
		return nil
	})
}

func readJSON(name string, into any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

func readLines(name string, each func(line) error) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(lines.Bytes(), &l)
		if err == nil {
			err = each(l)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
	}
	return lines.Err()
}

// readCLINC reads CLINC150 (Larson et al. 2019) as it is published.
func readCLINC(dir string) (*set, error) {
	var data map[string][][2]string
	var domains map[string][]string
	if err := readJSON(filepath.Join(dir, "data_full.json"), &data); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(dir, "domains.json"), &domains); err != nil {
		return nil, err
	}
	examples, domain := make(map[string][]string), make(map[string]string)
	for _, x := range data["train"] {
		examples[x[1]] = append(examples[x[1]], x[0])
	}
	s := &set{}
	for agent, intents := range domains {
		for _, id := range intents {
			domain[id] = agent
			s.skills = append(s.skills, text.Skill{Agent: agent, ID: id, Name: id, Examples: examples[id]})
		}
	}
	for _, x := range slices.Concat(data["test"], data["oos_test"]) {
		t := test{text: x[0]}
		if x[1] != outOfScope {
			t.right = []label{{domain[x[1]], x[1]}}
		}
		s.tests = append(s.tests, t)
	}
	return s, nil
}
