// Package cli is the quorate command line.
//
// Client commands use the REST API and nothing else. Data goes to stdout; notes, warnings and errors go to stderr. With -o json, stdout is protojson
// of the API's messages, with their empty lists as over REST. In all other output, text from a server is escaped, so that an agent cannot send control
// sequences to a terminal.
//
// Exit codes: 0 success, 1 other error, 2 usage, 3 not found, 4 denied, 5 conflict, 6 invalid argument or state or a file that cannot be read, 7 the task failed, was rejected or
// canceled, 8 the task waits, or a consultation brought no approval, 9 temporary failure: unavailable, timed out or a limit reached, 10 the plan has
// changes, 130 interrupted.
package cli
