// Package engine makes tasks happen: it accepts them, routes them, sends them to agents, follows them to their end and holds them at gates.
//
// What it promises: a task that was accepted is on disk before the submitter hears of it; the intent to send it is on disk before a byte
// leaves; it ends exactly once; and after a crash at any point a new Engine on the same store takes every unfinished task up where the store
// says it is. Dispatch is at-least-once under a stable message id.
//
// One goroutine, a runner, works on a task at a time. A runner goes through the task's phases step by step; each step reads the task, does one
// thing and writes the result on condition that the task has not changed meanwhile. A task that waits (for a consultation, for a timer) has no
// runner: Wake starts one when something happened. Nothing that is needed to go on lives in memory only.
package engine
