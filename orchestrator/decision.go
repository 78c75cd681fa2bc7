package orchestrator

// Route says where a task goes: to a named agent, to one that has a skill, to one that makes an output from given inputs, or to the one that fits a
// text best. Exactly one of Agent, Skill, Contract and Text is set.
type Route struct {
	Agent    string    `json:",omitempty"`
	Skill    string    `json:",omitempty"`
	Contract *Contract `json:",omitempty"`
	Text     string    `json:",omitempty"`
	Version  string    `json:",omitempty"` // a registry.VersionRange that the agent's version must be in
	FanOut   *FanOut   `json:",omitempty"` // several of the agents do the task; not with Agent
}

// Contract says which inputs a caller has and which output it wants.
type Contract struct {
	Inputs []Typed
	Output Typed
}

// Typed identifies an input or output by name, by semantic type or by both; an empty field matches anything.
type Typed struct {
	Name         string
	SemanticType string // document, artifact, collection, reference or comment
}

// Decision explains a route: which agent was chosen, which others could have taken the task, and which could not, and why.
type Decision struct {
	Chosen     string      `json:",omitempty"`
	Skill      string      `json:",omitempty"` // of the chosen agent, if the route asked for a skill or led to one
	Candidates []Candidate `json:",omitempty"` // those that were chosen, who comes next, and the others, best first
	Rejected   []Rejection `json:",omitempty"`
	Omitted    int         `json:",omitempty"` // how many candidates and rejections are not listed
	Refused    string      `json:",omitempty"` // why no agent was chosen; empty when one was
	Chain      []Link      `json:",omitempty"` // agents that do the task one after the other, when none can do it alone
	FanOut     []string    `json:",omitempty"` // agents that all do the task
}

// Together reports whether several agents were chosen, as a chain or as a fan-out.
func (d *Decision) Together() bool { return d.Chosen == "" && len(d.Chain)+len(d.FanOut) > 0 }

// Candidate is an agent that can take a task. Score is between 0 and 1, higher is better.
type Candidate struct {
	Agent   string
	Skill   string `json:",omitempty"`
	Score   float64
	Reasons []string
}

// Rejection is an agent that cannot take a task. Code is stable: one of the constants of package router.
type Rejection struct {
	Agent  string
	Code   string
	Reason string
}

// Link is one step of a chain: an agent that makes an output from what earlier steps or the task itself provide.
type Link struct {
	Agent  string
	Inputs []Typed
	Output Typed
	Takes  []Take // one for each input of the agent
}

// Take says where an agent's input comes from.
type Take struct {
	As   string // the name of the agent's input
	Item string // the name of the task's input, or of the earlier output, that is used; empty when it is in the task's message
	From int    // the number of the link that makes it, from 1; 0 for the task itself
}
