// Package push tells the receivers of push notifications about tasks, as A2A §4.3.3 says: one POST with a StreamResponse as JSON for each change of state.
//
// A Sender makes one attempt; what is owed, and when it is tried again, is the engine's business. Receivers see events at least once: each has the id
// <task>/<number> in the header Quorate-Event-Id, by which a repetition can be told.
package push
