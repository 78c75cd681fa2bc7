// Package cli is the quorate command line.
//
// Every client verb speaks the REST API and nothing else. Data goes to stdout; notes, warnings and errors go to stderr. With
// -o json stdout is protojson of the API's messages; in every other form all text that came from a server is escaped,
// so that an agent cannot send control sequences to a terminal.
//
// Exit codes: 0 done, 1 another error, 2 usage, 3 not found, 4 denied, 5 conflict, 6 invalid argument or state, 7 the task failed,
// 8 blocked by a gate, 9 not now: unavailable, out of time or a limit used up, 10 the plan has changes, 130 interrupted.
package cli
