package router

import (
	"context"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/registry"
)

// textIndex finds the skills of one edition by text.
type textIndex struct {
	edition uint64
	index   *text.Index
	trained bool // it was trained with the examples of this edition
}

// refreshTexts indexes the words of what is new. What was learned from examples before is kept; learning from new ones comes later.
func (c *indexCache) refreshTexts(s *tenantIndexes) *textIndex {
	v := c.refreshView(s)
	s.building.Lock()
	defer s.building.Unlock()
	old := s.texts.Load()
	if old != nil && old.edition >= v.Edition {
		return old
	}
	skills, examples := skillTexts(v.Agents)
	x := &textIndex{edition: v.Edition}
	switch {
	case old != nil:
		x.index = old.index.Renew(skills)
	case examples+len(skills) <= maxInlineTraining:
		x.index, x.trained = text.New(skills, text.Options{}), true
	default:
		x.index = text.New(skills, text.Options{Untrained: true})
	}
	s.texts.Store(x)
	if !x.trained {
		notify(c.untrainedTexts)
	}
	return x
}

// train trains a tenant's index with its current examples.
func (c *indexCache) train(ctx context.Context, s *tenantIndexes) {
	x := s.texts.Load()
	if x == nil || x.trained {
		return
	}
	v := c.refreshView(s)
	skills, _ := skillTexts(v.Agents)
	index := text.New(skills, text.Options{Stop: ctx.Done()})
	if ctx.Err() != nil {
		return
	}
	s.building.Lock()
	defer s.building.Unlock()
	if now := s.texts.Load(); now.edition > v.Edition { // new words were indexed meanwhile
		skills, _ = skillTexts(s.view.Load().Agents)
		s.texts.Store(&textIndex{edition: now.edition, index: index.Renew(skills)})
		notify(c.untrainedTexts)
		return
	}
	s.texts.Store(&textIndex{edition: v.Edition, index: index, trained: true})
}

// skillTexts returns what agents' cards and contracts say about their skills.
func skillTexts(agents []*registry.Agent) (skills []text.Skill, examples int) {
	for _, a := range agents {
		var inputs, outputs []string
		for _, in := range a.Metadata.InputSchemas {
			inputs = append(inputs, in.Name, in.Description)
		}
		for _, out := range a.Metadata.OutputSchemas {
			outputs = append(outputs, out.Name, out.Description)
		}
		for _, s := range a.Card.Skills {
			skills = append(skills, text.Skill{
				Agent: a.Name, ID: s.ID, AgentDescription: a.Card.Description, Name: s.Name, Description: s.Description,
				Tags: s.Tags, Examples: s.Examples, Inputs: inputs, Outputs: outputs,
			})
			examples += len(s.Examples)
		}
	}
	return skills, examples
}
