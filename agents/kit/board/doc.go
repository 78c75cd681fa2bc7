// Package board keeps and runs the A2A tasks of one agent.
//
// A Board implements a2asrv.RequestHandler, so the SDK's three bindings serve it. It runs each message once: the same
// message sent again, by id and content, finds the task it made, while that task is kept. A job may ask whoever sent the
// message for another one; only then does a task take a second message. A task ends exactly once, and everyone who watches
// it sees the same events in the same order; a slow watcher holds nobody up.
//
// Everything is in memory and bounded: tasks that run, wait and are kept, and the events and bytes of each. A task that
// runs when the board stops gets no end: its watchers lose the connection, and a caller that wants the result sends its
// message again. The SDK's own handler is not used: it copies each task through gob at every event and never forgets one.
package board
