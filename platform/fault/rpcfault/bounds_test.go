package rpcfault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

func TestAStatusFitsIntoHeadersWhateverItIsAbout(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.InvalidArgument, "TEST", "%s", strings.Repeat("é", 1<<20)).With("url", strings.Repeat("x", 1<<20)).With("task", "t1")
	for i := range 100_000 {
		long.Violations = append(long.Violations, fault.Violation{Field: fmt.Sprintf("inputs[%d]", i), Description: "is wrong"})
	}
	one := fault.Invalid(strings.Repeat("f", 1<<20), "TEST", "%s", strings.Repeat("w", 1<<20))
	for name, err := range map[string]*fault.Error{"many": long, "one": one} {
		st := rpcfault.Status(err).Proto()
		if size := proto.Size(st); size > 8<<10 {
			t.Errorf("%s: Status() has %d bytes, want no more than 8 KiB", name, size)
		}
		got, ok := errors.AsType[*fault.Error](rpcfault.FromStatus(rpcfault.Status(err).Err()))
		if !ok || got.Reason != "TEST" || !strings.HasSuffix(got.Message, "(cut)") {
			t.Errorf("%s: FromStatus(Status()) = %v, want the reason and that the message is cut", name, got)
		}
	}
	got, _ := errors.AsType[*fault.Error](rpcfault.FromStatus(rpcfault.Status(long).Err()))
	n := len(got.Violations)
	if last := got.Violations[n-1]; n < 50 || got.Violations[0].Field != "inputs[0]" || last.Description != fmt.Sprintf("and %d more", 100_000-n+1) {
		t.Errorf("of 100,000 violations %d are told, the last as %+v; want the first ones, and how many there are more", n, last)
	}
	if got.Metadata["task"] != "t1" || !strings.HasSuffix(got.Metadata["url"], "(cut)") {
		t.Errorf("the metadata is %.60q, want the short value as it was, and that the long one is cut", got.Metadata)
	}
}
