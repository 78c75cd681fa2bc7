package main

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Files of CLINC150 (Larson et al. 2019) as it is published.
const (
	clincData    = "data_full.json"
	clincDomains = "domains.json"
)

func (s *set) readCLINC(dir string) error {
	var data map[string][][2]string
	var domains map[string][]string
	if err := readJSON(filepath.Join(dir, clincData), &data); err != nil {
		return err
	}
	if err := readJSON(filepath.Join(dir, clincDomains), &domains); err != nil {
		return err
	}
	examples := make(map[string][]string)
	for _, x := range data["train"] {
		examples[x[1]] = append(examples[x[1]], x[0])
	}
	for agent, intents := range domains {
		for _, id := range intents {
			if err := s.add(&skill{Agent: agent, ID: id, Name: id, Examples: examples[id]}); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, clincDomains), err)
			}
		}
	}
	for _, x := range slices.Concat(data["test"], data["oos_test"]) {
		if x[1] != outOfScope && len(s.byID[x[1]]) == 0 {
			return fmt.Errorf("%s: no domain in %s has the intent %q of %q", filepath.Join(dir, clincData), clincDomains, x[1], x[0])
		}
		if err := s.ask(line{Text: &x[0], Skill: x[1]}); err != nil {
			return err
		}
	}
	return nil
}
