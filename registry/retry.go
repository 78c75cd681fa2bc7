package registry

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// requestLife is how long a request is remembered for retries.
const requestLife = 24 * time.Hour

// Retry identifies a request so that a write can be sent again safely. The zero value identifies none.
type Retry struct {
	Caller    string // who asks; request ids are the caller's own
	RequestID string // empty: the write is not remembered
}

// Writer has the writes of a Registry, made safe to send again. A retry is answered with the current state of the agent, as AIP-155 allows.
type Writer struct {
	registry *Registry
	retry    Retry
	author   string // AuthorAgent, or empty for an admin
	dry      bool   // check everything and write nothing
}

// Once returns a writer whose writes are remembered for 24 hours under retry. A request id that was used with other content is a Conflict fault with
// the reason REQUEST_ID_REUSED.
func (r *Registry) Once(retry Retry) Writer { return Writer{registry: r, retry: retry} }

// ByAgent returns a writer for an agent that changes itself: its changes may have to wait for an admin, as Options.CardChanges says.
func (w Writer) ByAgent() Writer {
	w.author = AuthorAgent
	return w
}

// DryRun returns a writer whose UpdateMetadata, Refresh, SetLiveVersion, Approve and Reject, or a registration, check everything and write nothing, so
// there is nothing to remember.
func (w Writer) DryRun() Writer {
	w.retry, w.dry = Retry{}, true
	return w
}

// update calls Store.Update and remembers the request in the same atomic step; note, which may be nil, adds what the answer says to it. For a retry
// nothing is written, and the first request is returned.
func (w Writer) update(
	ctx context.Context, key Key, content any, note func(*Request), change func(old *Record) (Change, error),
) (replayed *Request, err error) {
	request, done, err := w.registry.begin(ctx, key, w.retry, content)
	if err != nil {
		return nil, err
	}
	if done {
		return request, nil
	}
	err = w.registry.store.Update(ctx, key, func(old *Record) (Change, error) {
		c, err := change(old)
		c.DryRun = w.dry
		if request != nil && err == nil {
			if note != nil {
				note(request)
			}
			c.Remember = request
		}
		return c, err
	})
	if err != nil && request != nil {
		return w.registry.resolveRace(ctx, key, w.retry, content, err)
	}
	return nil, err
}

// updateAgent is update for an agent that exists. It returns the agent as change has written it, and the warnings of change; for a retry, the agent as
// it is now, and the warnings of the first answer.
func (w Writer) updateAgent(
	ctx context.Context, key Key, content any, change func(old *Record) (Change, []agentcard.Warning, error),
) (Agent, []agentcard.Warning, error) {
	var next Record
	var warnings []agentcard.Warning
	note := func(q *Request) { q.Warnings = warnings }
	replayed, err := w.update(ctx, key, content, note, func(old *Record) (c Change, err error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		if c, warnings, err = change(old); err == nil {
			next = *c.Record
		}
		return c, err
	})
	if err != nil || replayed != nil {
		return w.registry.answerRetry(ctx, key.Tenant, replayed, err)
	}
	return w.registry.withStatusAfterWrite(ctx, next.Agent), warnings, nil
}

// resolveRace resolves a write that failed with err because another write may have used its request id first. If that was the same write, its request
// is returned. If it was a different one and err says that the id is taken, the fault is that of begin.
func (r *Registry) resolveRace(ctx context.Context, key Key, retry Retry, content any, err error) (first *Request, _ error) {
	first, done, beginErr := r.begin(ctx, key, retry, content)
	switch {
	case done:
		return first, nil
	case errors.Is(err, ErrRequestSeen) && beginErr != nil:
		return nil, beginErr
	}
	return nil, err
}

// answerRetry answers the retry of a write to an agent, given the first request or the error of looking for it.
func (r *Registry) answerRetry(ctx context.Context, tenant string, first *Request, err error) (Agent, []agentcard.Warning, error) {
	if err != nil {
		return Agent{}, nil, err
	}
	agent, err := r.Agent(ctx, tenant, first.Agent)
	return agent, first.Warnings, err
}

// begin returns the request under which to remember a write, or nil when it is not to be remembered. done is true when the write was answered before.
// A request id that was used with other content is a Conflict fault with the reason REQUEST_ID_REUSED.
func (r *Registry) begin(ctx context.Context, key Key, retry Retry, content any) (request *Request, done bool, err error) {
	if retry.RequestID == "" {
		return nil, false, nil
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return nil, false, fmt.Errorf("encoding request: %w", err)
	}
	now := r.now().UTC()
	request = &Request{
		Key: RequestKey{key.Tenant, retry.Caller, retry.RequestID}, Digest: sha256.Sum256(encoded), Agent: key.Name,
		CreateTime: now, ExpireTime: now.Add(requestLife),
	}
	first, ok, err := r.store.Request(ctx, request.Key)
	if err != nil || !ok || !now.Before(first.ExpireTime) {
		return request, false, err
	}
	if first.Digest != request.Digest {
		return nil, false, fault.New(fault.Conflict, "REQUEST_ID_REUSED",
			"the request id %q came before with other content; use a new one", retry.RequestID).With("request_id", retry.RequestID)
	}
	request.Agent, request.Warnings, request.Outcome = first.Agent, first.Warnings, first.Outcome
	return request, true, nil
}

// remember stores a request whose write did not go through Store.Update.
func (r *Registry) remember(ctx context.Context, key Key, request *Request) error {
	return r.store.Update(ctx, key, func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		return Change{Record: old, Remember: request}, nil
	})
}
