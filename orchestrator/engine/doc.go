// Package engine makes tasks happen: it accepts them, routes them, sends them to agents, follows them to their end and holds them at gates.
//
// It promises: an accepted task is on disk before the submitter gets an answer; the intent to send it is on disk before anything is sent; it ends
// exactly once; and after a crash at any point, a new Engine on the same store continues every unfinished task from what the store says. Messages are
// sent at least once, always under the same message id; for a task that must not be done twice (Task.AtMostOnce), at most once that may have arrived.
// Replies are sent in order. A process that is paused after its last look at its lease may still send one late, after another replica has sent a later one:
// A2A has nothing by which an agent could refuse it.
//
// One goroutine at a time, a runner, works on a task. It takes the task through its phases step by step; each step reads the task, does one thing,
// and writes the result on condition that the task has not changed meanwhile. A task that waits, for a consultation or a timer, has no runner: Wake
// starts one when something happens. Nothing that is needed to continue is kept in memory only.
//
// Where to begin: Submit (submit.go) accepts a task; drive (drive.go) is a runner's loop, and step (step.go) decides what is due: execute (execute.go
// and conversation.go) talks to the agent, gate (gate.go) checks consultations, advancePlan (planround.go) works on a plan. Package agenttask keeps what
// an agent says; package admission bounds how many tasks are with agents at a time. Leases decide which replica works on which tasks (ownership.go),
// which it searches for (scan.go).
package engine
