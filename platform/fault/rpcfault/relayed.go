package rpcfault

import "google.golang.org/grpc/status"

// RelayedError is a status that another server answered to a call that we passed on. The client gets it unchanged; whatever its code, it is no failure of ours.
type RelayedError struct {
	From   string // who answered, for the log
	Answer *status.Status
}

// Error says who answered what.
func (r *RelayedError) Error() string { return r.From + " answered: " + r.Answer.String() }

// GRPCStatus returns the answer.
func (r *RelayedError) GRPCStatus() *status.Status { return r.Answer }
