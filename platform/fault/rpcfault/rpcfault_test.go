package rpcfault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

func TestAFaultSurvivesTheWire(t *testing.T) {
	t.Parallel()
	for kind := fault.Internal + 1; kind <= fault.DeadlineExceeded; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			want := &fault.Error{
				Kind: kind, Reason: "A_REASON", Message: "something is off", RetryAfter: 1500 * time.Millisecond,
				Violations: []fault.Violation{{Field: "a.b", Description: "too long"}},
				Metadata:   map[string]string{"limit": "3"},
			}
			got := rpcfault.FromStatus(rpcfault.Status(fmt.Errorf("doing it: %w", want)).Err())
			if diff := cmp.Diff(error(want), got); diff != "" {
				t.Errorf("FromStatus(Status(e)) differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A path of HTTP may have any bytes, and an answer repeats it.
func TestWhatIsNotUTF8TakesNothingElseFromAStatus(t *testing.T) {
	t.Parallel()
	e := fault.Invalid("field\xff", "A_REASON", "there is nothing at /\xffa").With("path", "/\xfe")
	st := rpcfault.Status(e)
	got, ok := errors.AsType[*fault.Error](rpcfault.FromStatus(st.Err()))
	if !ok || got.Reason != "A_REASON" || got.Metadata["path"] != "/\uFFFD" || len(got.Violations) != 1 || got.Violations[0].Field != "field\uFFFD" {
		t.Errorf("FromStatus(Status(%+v)) = %+v, want the same with replacements", e, got)
	}
	if _, err := protojson.Marshal(st.Proto()); err != nil || st.Message() != "there is nothing at /\uFFFDa" {
		t.Errorf("Status() has the message %q and is encoded with %v, want a replacement and no error", st.Message(), err)
	}
}

func TestStatusHidesWhatIsOurs(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"an unknown error":                 errors.New("password=hunter2"),
		"an internal fault with text":      fault.New(fault.Internal, "BROKEN", "password=%s", "hunter2").With("password", "hunter2"),
		"a wrapped status of another call": fmt.Errorf("asking: %w", status.Error(codes.NotFound, "hunter2")),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rpcfault.Status(err)
			if got.Code() != codes.Internal || got.Message() != "internal error" {
				t.Errorf("Status(%v) = %v %q, want %v %q", err, got.Code(), got.Message(), codes.Internal, "internal error")
			}
			if text := fmt.Sprint(got.Proto()); len(got.Details()) != 1 || strings.Contains(text, "hunter2") {
				t.Errorf("Status(%v) = %s, want one detail without the secret", err, text)
			}
		})
	}
}

func TestStatusKeepsAStatusMadeOnPurpose(t *testing.T) {
	t.Parallel()
	err := status.Error(codes.NotFound, "unknown service")
	if got := rpcfault.Status(err); got.Code() != codes.NotFound || got.Message() != "unknown service" {
		t.Errorf("Status(%v) = %v, want it unchanged", err, got)
	}
}

func TestFromStatusClassifiesAStatusWithoutDetails(t *testing.T) {
	t.Parallel()
	tests := map[codes.Code]fault.Kind{
		codes.Canceled: fault.Unavailable, codes.OutOfRange: fault.InvalidArgument, codes.Unimplemented: fault.FailedPrecondition,
		codes.DataLoss: fault.Internal, codes.Unknown: fault.Internal, codes.Aborted: fault.Conflict,
	}
	for code, want := range tests {
		if got := fault.KindOf(rpcfault.FromStatus(status.Error(code, "x"))); got != want {
			t.Errorf("KindOf(FromStatus(%v)) = %v, want %v", code, got, want)
		}
	}
	if got := rpcfault.FromStatus(nil); got != nil {
		t.Errorf("FromStatus(nil) = %v, want nil", got)
	}
}

func TestABodyWithoutAStatusIsNoFault(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{"code":16}`, "\x08\x63"} {
		if err := rpcfault.FromBody([]byte(body)); err != nil {
			t.Errorf("FromBody(%q) = %v, want nil", body, err)
		}
	}
}
