package orchestrator

// Route says where a task goes: to a named agent, to one that has a skill, to one that makes an output of given inputs, or to whoever a
// text describes best. Exactly one is set.
type Route struct {
	Agent    string    `json:",omitempty"`
	Skill    string    `json:",omitempty"`
	Contract *Contract `json:",omitempty"`
	Text     string    `json:",omitempty"`
	Version  string    `json:",omitempty"` // a registry.VersionRange that the agent's version has to be in
	FanOut   *FanOut   `json:",omitempty"` // several of them do it; not with Agent
}

// Contract is what somebody has and what is wanted for it.
type Contract struct {
	Inputs []Typed
	Output Typed
}

// Typed is something with a name, a semantic type or both. An empty one says nothing about it.
type Typed struct {
	Name         string
	SemanticType string // document, artifact, collection, reference or comment
}

// Decision explains where a task went: the choice, who else could have taken it, and who could not and why.
type Decision struct {
	Chosen     string      `json:",omitempty"`
	Skill      string      `json:",omitempty"` // of the chosen agent, when one was asked for or found
	Candidates []Candidate `json:",omitempty"`
	Rejected   []Rejection `json:",omitempty"`
	Omitted    int         `json:",omitempty"` // further candidates and rejections that are not listed
	Refused    string      `json:",omitempty"` // why nobody was chosen; empty when somebody was
	Chain      []Link      `json:",omitempty"` // agents that do it one after the other, when none does it alone
	FanOut     []string    `json:",omitempty"` // agents that all do it
}

// Together reports whether several agents were chosen, one after the other or all of them.
func (d *Decision) Together() bool { return d.Chosen == "" && len(d.Chain)+len(d.FanOut) > 0 }

// Candidate is an agent that can take a task. Score is between 0 and 1, higher is better.
type Candidate struct {
	Agent   string
	Skill   string `json:",omitempty"`
	Score   float64
	Reasons []string
}

// Rejection is an agent that cannot take a task. Code is stable, one of the constants of package router.
type Rejection struct {
	Agent  string
	Code   string
	Reason string
}

// Link is one step of a chain: the agent makes the output from what was there before it.
type Link struct {
	Agent  string
	Inputs []Typed
	Output Typed
	Takes  []Take // of each input: as what, and from where
}

// Take says as what an agent is given something.
type Take struct {
	As   string // the name of the agent's input
	Item string // the name of the task's input, or of the output, that it is given as that; empty when the task's message has it
	From int    // the number of the link that makes it, from 1; 0 is what was there from the beginning
}
