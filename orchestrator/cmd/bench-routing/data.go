package main

import (
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
	byID   map[string][]int // places of skills
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
	Text   *string  `json:"text"`
	Agent  string   `json:"agent"`
	Skill  string   `json:"skill"`
	Skills []string `json:"skills"`
}

// skill is an entry of skills.json.
type skill struct {
	Agent       string   `json:"agent"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
	Inputs      []string `json:"inputs"`
	Outputs     []string `json:"outputs"`
}

const outOfScope = "oos"

func read(dir string) (*set, error) {
	if _, err := os.Stat(filepath.Join(dir, "data_full.json")); err == nil {
		return readCLINC(dir)
	}
	s := &set{}
	if err := s.readSkills(filepath.Join(dir, "skills.json")); err != nil {
		return nil, err
	}
	if err := readLines(filepath.Join(dir, "train.jsonl"), s.learn); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := readLines(filepath.Join(dir, "test.jsonl"), s.ask); err != nil {
		return nil, err
	}
	if len(s.tests) == 0 {
		return nil, errors.New("test.jsonl holds no texts: nothing can be scored")
	}
	return s, nil
}

func (s *set) readSkills(name string) error {
	var list []skill
	if err := readJSON(name, &list); err != nil {
		return err
	}
	s.byID = make(map[string][]int)
	for i, x := range list {
		if x.ID == "" {
			return fmt.Errorf("%s: skill %d has no id", name, i+1)
		}
		if x.Agent == "" {
			x.Agent = x.ID
		}
		s.byID[x.ID] = append(s.byID[x.ID], i)
		s.skills = append(s.skills, text.Skill{
			Agent: x.Agent, ID: x.ID, Name: x.Name, Description: x.Description, Tags: x.Tags, Examples: x.Examples, Inputs: x.Inputs, Outputs: x.Outputs,
		})
	}
	return nil
}

// find lists the places of the skills with an id, of one agent if it is named.
func (s *set) find(agent, id string) ([]int, error) {
	found := slices.DeleteFunc(slices.Clone(s.byID[id]), func(i int) bool { return agent != "" && s.skills[i].Agent != agent })
	switch {
	case len(found) > 0:
		return found, nil
	case id == "":
		return nil, errors.New(`names no "skill"`)
	case agent == "":
		return nil, fmt.Errorf("skills.json has no skill %q", id)
	default:
		return nil, fmt.Errorf("skills.json has no skill %q of agent %q", id, agent)
	}
}

// learn takes a line of train.jsonl.
func (s *set) learn(l line) error {
	if l.Skill == outOfScope && len(s.byID[outOfScope]) == 0 {
		return nil // nothing learns from what must be refused
	}
	found, err := s.find(l.Agent, l.Skill)
	for _, i := range found {
		s.skills[i].Examples = append(s.skills[i].Examples, *l.Text)
	}
	return err
}

// ask takes a line of test.jsonl.
func (s *set) ask(l line) error {
	t := test{text: *l.Text}
	for _, id := range append(l.Skills, l.Skill) {
		if id == "" || id == outOfScope {
			continue
		}
		found, err := s.find(l.Agent, id)
		if err != nil {
			return err
		}
		for _, i := range found {
			t.right = append(t.right, label{s.skills[i].Agent, id})
		}
	}
	s.tests = append(s.tests, t)
	return nil
}

var byteOrderMark = []byte("\ufeff") // some editors put it in front

func readJSON(name string, into any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(b, byteOrderMark), into); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

func readLines(name string, each func(line) error) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	n := 0
	for raw := range bytes.Lines(bytes.TrimPrefix(b, byteOrderMark)) {
		n++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(raw, &l)
		if err == nil && l.Text == nil {
			err = errors.New(`has no "text"`)
		}
		if err == nil {
			err = each(l)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
	}
	return nil
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
