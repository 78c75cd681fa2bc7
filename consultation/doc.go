// Package consultation decides whether the agents that had to be consulted about a task were consulted.
//
// A Requirement says which agent must be consulted in which phase of a task. The Ledger issues a Consultation for it: one question about one content,
// with a trace of its own. The answer is Evidence: a span in that trace, recorded by the agent that was asked and by nobody else. Decide, a pure
// function, turns requirements, consultations and evidence into verdicts. Whatever is unclear blocks.
//
// Evidence does not prove that a review was good: an agent that approves everything produces perfect evidence.
package consultation
