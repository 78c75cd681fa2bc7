package main

import (
	"cmp"
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

// test is a text with what is right for it, each once; nothing means that it must be refused.
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

// foreign reports whether an id says that a text must be refused. In a set with a skill of that name it is a skill like any other.
func (s *set) foreign(id string) bool { return id == outOfScope && len(s.byID[outOfScope]) == 0 }

func read(dir string) (*set, error) {
	s := &set{byID: make(map[string][]int)}
	from := s.readOwn
	if _, err := os.Stat(filepath.Join(dir, clincData)); err == nil {
		from = s.readCLINC
	}
	if err := from(dir); err != nil {
		return nil, err
	}
	if len(s.skills) == 0 {
		return nil, fmt.Errorf("%s lists no skills: there is nothing to find", dir)
	}
	if len(s.tests) == 0 {
		return nil, fmt.Errorf("%s holds no texts to ask: nothing can be scored", dir)
	}
	return s, nil
}

// readOwn reads the form that is documented here.
func (s *set) readOwn(dir string) error {
	if err := s.readSkills(filepath.Join(dir, "skills.json")); err != nil {
		return err
	}
	if err := readLines(filepath.Join(dir, "train.jsonl"), s.learn); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return readLines(filepath.Join(dir, "test.jsonl"), s.ask)
}

func (s *set) readSkills(name string) error {
	var list []json.RawMessage
	if err := readJSON(name, &list); err != nil {
		return err
	}
	for i, raw := range list {
		var x skill
		err := decode(raw, &x)
		if err == nil {
			err = s.add(&x)
		}
		if err != nil {
			return fmt.Errorf("%s, skill %d: %w", name, i+1, err)
		}
	}
	return nil
}

func (s *set) add(x *skill) error {
	if x.ID == "" {
		return errors.New(`has no "id"`)
	}
	agent := cmp.Or(x.Agent, x.ID)
	if found, _ := s.find(agent, x.ID); len(found) > 0 {
		return fmt.Errorf("skill %q of agent %q is listed twice", x.ID, agent)
	}
	s.byID[x.ID] = append(s.byID[x.ID], len(s.skills))
	s.skills = append(s.skills, text.Skill{
		Agent: agent, ID: x.ID, Name: x.Name, Description: x.Description, Tags: x.Tags, Examples: x.Examples, Inputs: x.Inputs, Outputs: x.Outputs,
	})
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
	if s.foreign(l.Skill) {
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
	named := slices.DeleteFunc(append(l.Skills, l.Skill), func(id string) bool { return id == "" })
	if len(named) == 0 && l.Agent != "" {
		return fmt.Errorf(`names agent %q, but no "skill"`, l.Agent)
	}
	for _, id := range named {
		if s.foreign(id) {
			continue
		}
		found, err := s.find(l.Agent, id)
		if err != nil {
			return err
		}
		for _, i := range found {
			if right := (label{s.skills[i].Agent, id}); !slices.Contains(t.right, right) {
				t.right = append(t.right, right)
			}
		}
	}
	s.tests = append(s.tests, t)
	return nil
}
