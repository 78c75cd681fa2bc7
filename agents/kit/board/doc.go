// Package board keeps and runs the A2A tasks of one agent.
//
// A Board implements a2asrv.RequestHandler, so the SDK's three bindings serve it. It runs each message once: a message that
// is sent again, with the same id and content, finds the task that it made, as long as that task is kept. A job may ask the
// sender a question; only then does a task accept a second message. A task ends exactly once, and all watchers see the same
// events in the same order; a slow watcher delays nobody.
//
// Everything is in memory and bounded: the number of running, waiting and kept tasks, and the events and bytes of each. A
// task that is running when the board stops, and does not complete while it waits for its jobs, does not end: its watchers
// lose the connection, and a caller that wants the result sends its message again. The SDK's own handler is not used, because
// it copies each task through gob at every event and never forgets one.
package board
