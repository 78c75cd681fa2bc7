// Package push sends push notifications about tasks, by A2A §4.3.3: one POST with a StreamResponse as JSON for each change of state.
//
// An Outbox decides what to send and when to try again, from what tasks say is owed to their receivers; a Sender makes one attempt. Receivers get each event
// at least once, with the id <task>/<number> in the header Quorate-Event-Id, by which they can recognize repetitions.
package push
