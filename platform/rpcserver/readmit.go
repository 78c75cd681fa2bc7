package rpcserver

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// whileAdmitted returns a context that ends, with the reason as its cause, once the credentials of a stream's caller no longer allow the call. The
// caller must call stop when the stream is over.
func (s *Server) whileAdmitted(ctx context.Context, credentials []string, rule auth.Rule) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	if rule.Public {
		return ctx, func() { end(nil) }
	}
	caller, _ := auth.FromContext(ctx)
	var timer *time.Timer // a goroutine for each of thousands of calls would do nothing nearly all the time
	timer = time.AfterFunc(math.MaxInt64, func() {
		if ctx.Err() != nil {
			return
		}
		if err := s.readmit(ctx, caller, credentials, rule); err != nil {
			end(err)
			return
		}
		timer.Reset(s.opts.ReadmitEvery)
	})
	timer.Reset(s.opts.ReadmitEvery) // not before timer is set
	return ctx, func() { timer.Stop(); end(nil) }
}

// readmit returns why a stream has to end, or nil. When the credentials cannot be checked at the moment, the last result stands.
func (s *Server) readmit(ctx context.Context, caller auth.Principal, credentials []string, rule auth.Rule) error {
	now, err := s.admit(ctx, credentials, rule)
	switch kind := fault.KindOf(err); {
	case kind == fault.Unauthenticated || kind == fault.PermissionDenied:
		return err
	case err == nil && (now.Tenant != caller.Tenant || now.Name != caller.Name || !slices.Equal(now.Roles, caller.Roles)):
		return fault.New(fault.Unavailable, "CALLER_CHANGED", "the token stands for somebody else, or for other roles, than when this stream began; connect again")
	default:
		return nil
	}
}

// WhyEnded returns why the server ended the context of a stream or of a wait: it is stopping, or the caller may no longer have the stream. It returns err when the
// server did not end it.
func WhyEnded(ctx context.Context, err error) error {
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return err
}
