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
// The files, in the order in which a task meets them; engine.go puts them together, and what is measured is in telemetry.go and span.go:
//
//   - Accepting: Submit (submit.go, submission.go, requesthash.go, hops.go), the choice of the agent (route.go, inputs.go, bind.go,
//     takers.go, decision.go).
//   - Running: runners start, wake and end the goroutines (runners.go, runner.go, wake.go); drive (drive.go) is the loop of one, and step (step.go) decides
//     what is due. Each step ends in an update (update.go) that may take the task to its next phase or its end (phase.go; from outside: cancel.go,
//     terminate.go). What it adds to the task and its log is made in record.go.
//   - Talking to an agent: execute (execute.go) and before it, whether the message may have been sent already (intent.go, fresh.go, reconcile.go) and what it
//     needs of the store (lookup.go, context.go). A conversation (conversation.go, resume.go, poll.go, announce.go, sendreply.go, brokenanswer.go) stores what
//     is said meanwhile (save.go, progress.go), within bounds of memory (holdings.go), and what came of it (conclude.go, result.go). A question waits for its
//     caller (reply.go, pollwaiting.go).
//   - When that fails: another try or another agent (failure.go, fallback.go, gone.go); where it is this process or its store, another step (retrydelay.go).
//   - Gates: gate (gate.go, gaterecord.go, subject.go) checks consultations; Consult (consult.go, carrier.go, selfreview.go) has them held, and ledger.go tells
//     them what becomes of tasks.
//   - Plans: advancePlan (planround.go) works on a task that several agents do (plan.go). Each step has a task of its own (planstep.go, planreplace.go,
//     plancancel.go), whose question the plan's task shows and whose reply it passes on (planwait.go, planreply.go), and whose results it collects
//     (planresult.go).
//   - Whoever follows a task: Watch (watch.go, watchdrafts.go, watchers.go), and receivers of push notifications (webhook.go).
//   - Replicas: leases decide which one works on which tasks (ownership.go), for which it searches (scan.go, scanschedule.go).
//
// Most tests play with a world, an engine over embedded stores (harness_test.go), or with a simulation, an engine over a store in memory, in played time, in
// which every call may go wrong (sim_test.go). A fleet (fleet_test.go) has several such engines; mutation_test.go shows that it notices what it is for.
//
// Package agentmessage makes what agents get, agenttask keeps what they say, admission bounds how many tasks are with them at a time, and push has receivers
// notified.
package engine
