package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/fault"
)

const (
	exitOther       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDenied      = 4
	exitConflict    = 5
	exitInvalid     = 6
	exitTaskFailed  = 7
	exitBlocked     = 8
	exitUnavailable = 9
	exitChanges     = 10
	exitInterrupted = 130
)

// resultError ends a command that has succeeded but has a result which the exit code reports. Nothing is printed for it.
type resultError struct{ code int }

func (*resultError) Error() string { return "the result is told by the exit code" }

// exit prints err and returns the exit code.
func (a *app) exit(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return 0
	}
	if result, ok := errors.AsType[*resultError](err); ok {
		return result.code
	}
	if _, ok := errors.AsType[*usageError](err); ok || !a.started {
		a.err.line("%s: %s", cmd.CommandPath(), plainly(firstLine(err.Error())))
		a.err.line("see %q", cmd.CommandPath()+" --help")
		return exitUsage
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		a.err.line("%s: interrupted", cmd.CommandPath())
		return exitInterrupted
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		a.explain(cmd, err, e)
		return exitCode(e)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		a.err.line("%s: no answer in time", cmd.CommandPath())
		return exitUnavailable
	}
	a.err.line("%s: %s", cmd.CommandPath(), err)
	return exitOther
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// oneLine joins the lines of several errors.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

func exitCode(e *fault.Error) int {
	switch e.Kind {
	case fault.NotFound:
		return exitNotFound
	case fault.Unauthenticated, fault.PermissionDenied:
		return exitDenied
	case fault.Conflict, fault.AlreadyExists:
		return exitConflict
	case fault.InvalidArgument, fault.FailedPrecondition:
		return exitInvalid
	case fault.Unavailable, fault.DeadlineExceeded, fault.ResourceExhausted: // may succeed later
		return exitUnavailable
	default:
		return exitOther
	}
}

// explain prints what failed, the reason for programs, the violations of fields, and what to do.
func (a *app) explain(cmd *cobra.Command, err error, e *fault.Error) {
	a.err.line("%s: %s (%s)", cmd.CommandPath(), oneLine(err.Error()), e.Reason)
	a.violations(e)
	if todo := advice(e); todo != "" {
		a.err.line("  try: %s", todo)
	}
}

// violations prints what is wrong with which field.
func (a *app) violations(e *fault.Error) {
	for _, v := range e.Violations {
		if strings.Contains(e.Message, v.Description) {
			a.err.line("  field: %s", v.Field)
			continue
		}
		a.err.line("  field: %s: %s", v.Field, v.Description)
	}
}
