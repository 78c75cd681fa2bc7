package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/quorate/quorate/platform/fault"
)

func TestFromFindsWhatACallerMayActOn(t *testing.T) {
	t.Parallel()
	missing := fault.New(fault.NotFound, "AGENT_NOT_FOUND", "agent %q does not exist", "web")
	tests := map[string]struct {
		err    error
		kind   fault.Kind
		reason string
	}{
		"a fault is itself":                  {missing, fault.NotFound, "AGENT_NOT_FOUND"},
		"a wrapped fault is found":           {fmt.Errorf("get: %w", missing), fault.NotFound, "AGENT_NOT_FOUND"},
		"a fault wins over an ended context": {fmt.Errorf("%w: %w", context.Canceled, missing), fault.NotFound, "AGENT_NOT_FOUND"},
		"a passed deadline is told":          {fmt.Errorf("x: %w", context.DeadlineExceeded), fault.DeadlineExceeded, "DEADLINE_EXCEEDED"},
		"a canceled call is unavailable":     {context.Canceled, fault.Unavailable, "CANCELED"},
		"anything else is internal":          {io.ErrUnexpectedEOF, fault.Internal, "INTERNAL"},
		"so is a nil fault as an error":      {(*fault.Error)(nil), fault.Internal, "INTERNAL"},
		"also when it is wrapped":            {fmt.Errorf("x: %w", (*fault.Error)(nil)), fault.Internal, "INTERNAL"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fault.KindOf(test.err); got != test.kind {
				t.Errorf("KindOf(%v) = %v, want %v", test.err, got, test.kind)
			}
			if got := fault.ReasonOf(test.err); got != test.reason {
				t.Errorf("ReasonOf(%v) = %q, want %q", test.err, got, test.reason)
			}
		})
	}
}

func TestFromNilIsNil(t *testing.T) {
	t.Parallel()
	if got := fault.From(nil); got != nil {
		t.Errorf("From(nil) = %v, want nil", got)
	}
	if got := fault.KindOf(nil); got != fault.Internal {
		t.Errorf("KindOf(nil) = %v, want %v", got, fault.Internal)
	}
	if got := fault.ReasonOf(nil); got != "" {
		t.Errorf("ReasonOf(nil) = %q, want the empty string", got)
	}
}

func TestFromKeepsTheTextOfAnUnknownErrorOutOfTheMessage(t *testing.T) {
	t.Parallel()
	err := errors.New("dial 10.0.0.7: refused")
	e := fault.From(err)
	if e.Message != "internal error" {
		t.Errorf("From(%v).Message = %q, want %q", err, e.Message, "internal error")
	}
	if !errors.Is(e, err) {
		t.Errorf("From(%v) lost its cause", err)
	}
	if want := "internal error: dial 10.0.0.7: refused"; e.Error() != want {
		t.Errorf("From(%v).Error() = %q, want %q", err, e.Error(), want)
	}
}

func TestNewWithAWrapVerbSetsTheCauseAndSaysItOnce(t *testing.T) {
	t.Parallel()
	e := fault.New(fault.InvalidArgument, "CARD_INVALID", "card: %w", io.EOF)
	if !errors.Is(e, io.EOF) {
		t.Errorf("New(%%w).Cause = %v, want %v", e.Cause, io.EOF)
	}
	if want := "card: EOF"; e.Error() != want {
		t.Errorf("New(%%w).Error() = %q, want %q", e.Error(), want)
	}
}

func TestInvalidNamesTheField(t *testing.T) {
	t.Parallel()
	e := fault.Invalid("agent.name", "NAME_INVALID", "%q has a space", "a b").With("name", "a b").With("limit", "64")
	want := fault.Violation{Field: "agent.name", Description: `"a b" has a space`}
	if e.Kind != fault.InvalidArgument || len(e.Violations) != 1 || e.Violations[0] != want {
		t.Errorf("Invalid() = %v %v, want %v %v", e.Kind, e.Violations, fault.InvalidArgument, want)
	}
	if e.Metadata["name"] != "a b" || e.Metadata["limit"] != "64" {
		t.Errorf("With() metadata = %v, want name=a b and limit=64", e.Metadata)
	}
}
