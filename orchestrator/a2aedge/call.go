package a2aedge

import (
	"context"
	"strconv"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/platform/fault"
)

// Version is the version of A2A that this package serves.
const Version = "1.0"

// Service parameters (A2A §3.2.6), as metadata keys.
const (
	paramVersion    = "a2a-version"
	paramExtensions = "a2a-extensions"
	paramLastEvent  = "last-event-id"
)

// checkCall refuses a call for a version that is not served; a call without a version is for 0.3 (A2A §3.6.2). It also checks the requested history
// length.
func checkCall(ctx context.Context, history *int32) error {
	if err := checkVersion(param(ctx, paramVersion)); err != nil {
		return err
	}
	if history != nil && *history < 0 {
		return fault.Invalid("history_length", "HISTORY_LENGTH_INVALID", "the history length %d is negative", *history)
	}
	return nil
}

func checkVersion(version string) error {
	if version != Version && !strings.HasPrefix(version, Version+".") {
		if version == "" {
			version = "0.3 (no A2A-Version was sent)"
		}
		return refusal(reasonVersion, "A2A version %s is not supported here; send A2A-Version: %s", fault.Clip(version), Version)
	}
	return nil
}

// lastEvent returns the number of the last event that a client received of a stream that it resumes.
func lastEvent(ctx context.Context) (n uint64, resumed bool, err error) {
	value := param(ctx, paramLastEvent)
	if value == "" {
		return 0, false, nil
	}
	if n, err = strconv.ParseUint(value, 10, 64); err != nil {
		return 0, false, fault.Invalid(paramLastEvent, "LAST_EVENT_ID_INVALID", "Last-Event-ID is the number of an event, as the stream gave it")
	}
	return n, true, nil
}

func param(ctx context.Context, name string) string {
	return strings.TrimSpace(strings.Join(metadata.ValueFromIncomingContext(ctx, name), ", ")) // as joined does
}
