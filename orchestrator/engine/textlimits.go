package engine

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of texts in a task, in bytes. Others have made some of them: a task whose end does not fit into the store would not end, and be done again
// and again.
const (
	maxDetail  = 64 << 10 // of an event
	maxMessage = 8 << 10  // of an error
)

// errorOf returns f as a task keeps it.
func errorOf(f *fault.Error) *orchestrator.Error {
	return &orchestrator.Error{Reason: f.Reason, Message: bounded.Text(f.Message, maxMessage)}
}
