package orchestrator

// Route says where a task goes: to a named agent, or to one that has a skill. Exactly one is set.
type Route struct {
	Agent string
	Skill string
}

// Decision explains where a task went: the choice, who else could have taken it, and who could not and why.
type Decision struct {
	Chosen     string
	Candidates []Candidate
	Rejected   []Rejection
	Refused    string
}

// Candidate is an agent that can take a task. Score is between 0 and 1, higher is better.
type Candidate struct {
	Agent   string
	Skill   string
	Score   float64
	Reasons []string
}

// Rejection is an agent that cannot take a task.
type Rejection struct {
	Agent  string
	Code   string
	Reason string
}
