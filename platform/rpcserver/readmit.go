package rpcserver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// whileAdmitted returns a context that ends, with the reason as its cause, when the credentials of a stream's caller do not admit it any more. stop must be
// called when the stream is over.
func (s *Server) whileAdmitted(ctx context.Context, credentials []string, rule auth.Rule) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	if rule.Public {
		return ctx, func() { end(nil) }
	}
	caller, _ := auth.FromContext(ctx)
	go func() {
		ticker := time.NewTicker(s.opts.ReadmitEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := s.readmit(ctx, caller, credentials, rule); err != nil {
				end(err)
				return
			}
		}
	}()
	return ctx, func() { end(nil) }
}

// readmit says why a stream has to end. When it cannot be told who the caller is, the answer of before counts.
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

// WhyEnded returns why the server ended ctx, that of a stream: because it stops, or the caller is not admitted any more. It returns err when neither is so.
func WhyEnded(ctx context.Context, err error) error {
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return err
}
