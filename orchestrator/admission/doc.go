// Package admission bounds what is under way with others at a time: the tasks of each agent or receiver (FairLimiter), retries (Budget), and tasks for
// agents that cannot be reached (Breakers). All of it is kept per process and in memory; that a task waits is in the store already.
package admission
