package rpcfault_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// headers returns the size of the headers in which a status is sent, as clients count it (RFC 9113, section 6.5.2).
func headers(st *spb.Status) int {
	const names = len("grpc-status") + len("grpc-message") + len("grpc-status-details-bin") + 3*32
	message := len(st.GetMessage())
	for _, c := range []byte(st.GetMessage()) {
		if c < ' ' || c > '~' || c == '%' {
			message += len("%25") - 1
		}
	}
	return names + message + base64.RawStdEncoding.EncodedLen(proto.Size(st))
}

func TestAStatusFitsIntoHeadersWhateverItIsAbout(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.InvalidArgument, "TEST", "%s", strings.Repeat("é", 1<<20)).With("url", strings.Repeat("x", 1<<20)).With("task", "t1")
	for i := range 100_000 {
		long.Violations = append(long.Violations, fault.Violation{Field: fmt.Sprintf("inputs[%d]", i), Description: "is wrong"})
	}
	tiny := fault.New(fault.InvalidArgument, "TEST", "%s", strings.Repeat("%", 1<<20))
	for range 100_000 {
		tiny.Violations = append(tiny.Violations, fault.Violation{Field: "a", Description: "b"})
	}
	for i := range 1000 {
		_ = tiny.With(fmt.Sprintf("key%d", i), "a value")
	}
	one := fault.Invalid(strings.Repeat("f", 1<<20), "TEST", "%s", strings.Repeat("w", 1<<20))
	for name, err := range map[string]*fault.Error{"many": long, "tiny": tiny, "one": one} {
		if size := headers(rpcfault.Status(err).Proto()); size > 8<<10 {
			t.Errorf("%s: Status() has %d bytes in headers, want no more than 8 KiB", name, size)
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
