package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Outcomes of Apply.
const (
	OutcomeCreated   = "created"
	OutcomeUnchanged = "unchanged"
	OutcomeReplaced  = "replaced"
)

// Application is the state that Apply gives an agent. Without Metadata an existing agent keeps what it has, and a new agent gets what its card
// carries.
type Application struct {
	Registration
	Etag string // replace only if the agent has this etag; * only if the agent exists; empty in any case
}

// author returns who applies: AuthorAgent, or "" for an admin.
func (in *Application) author() string {
	if in.OnlyName != "" {
		return AuthorAgent
	}
	return ""
}

// Applied is the result of Apply.
type Applied struct {
	Agent    Agent
	Outcome  string
	Warnings []agentcard.Warning
}

// Apply brings an agent to the state in: it creates the agent, replaces its card and metadata, or finds nothing to change. A stale etag is a Conflict
// fault with the reason ETAG_MISMATCH. An agent that applies itself, which OnlyName tells, cannot change its consultation requirements and its
// at-most-once skills: that is a PermissionDenied fault with the reason RULES_ARE_THE_ADMINS.
//
// An agent that is gone from its source becomes that of the admin who applies it.
func (r *Registry) Apply(ctx context.Context, tenant string, in Application) (Applied, error) {
	if (len(in.RawCard) == 0) == (in.CardURI == "") {
		return Applied{}, fault.Invalid("card", "VALIDATION_FAILED", "either a card or the URL of one is needed")
	}
	w := in.writer(r)
	content := []any{"apply", in.RawCard, in.CardURI, in.Metadata, in.Etag}
	if in.Name != "" {
		content = append(content, in.Name)
	}
	if request, done, err := r.begin(ctx, Key{Tenant: tenant}, w.retry, content); err != nil || done {
		return r.appliedBefore(ctx, tenant, request, err)
	}
	asked := r.now().UTC()
	c, created, warnings, err := r.prepare(ctx, tenant, in.Registration)
	if err != nil {
		return Applied{}, err
	}
	c.author = in.author()
	c.wanted = c.author == ""
	if in.Metadata != nil { // which wins, as prepare has warned
		c.own = nil
	}
	key := created.Record.Key()
	alikes, alikeErr := r.checkLooks(ctx, tenant, key.Name)
	var done Applied
	note := func(q *Request) { q.Warnings, q.Outcome = done.Warnings, done.Outcome }
	replayed, err := w.update(ctx, key, content, note, func(old *Record) (change Change, err error) {
		if old == nil && in.Etag != "" {
			return Change{}, Missing(key)
		}
		done = Applied{Agent: created.Record.Agent, Outcome: OutcomeCreated, Warnings: warnings}
		change = created
		if old != nil {
			change, err = r.replace(old, c, created.Record.CardURI, &in, &done)
		} else {
			done.Warnings, err = append(slices.Clip(warnings), alikes...), alikeErr
		}
		return change, err
	})
	if err != nil || replayed != nil {
		return r.appliedBefore(ctx, tenant, replayed, err)
	}
	return r.afterApply(ctx, key, &in, done, asked), nil
}

// replace returns the change that brings an existing agent to the state in, and stores the result in done.
func (r *Registry) replace(old *Record, c content, uri string, in *Application, done *Applied) (Change, error) {
	if err := old.checkEtag(in.Etag); err != nil {
		return Change{}, err
	}
	next, change, warnings, err := r.addVersion(old, c, uri)
	if err != nil {
		return Change{}, err
	}
	done.Warnings = append(slices.Clip(done.Warnings), warnings[len(c.warnings):]...) // done has the card's own warnings already
	if s := old.Source; s.found() && !s.Gone && change.Version != nil {
		done.Warnings = append(done.Warnings, agentcard.Warning{
			Code: "CARD_FROM_SOURCE", Field: "card",
			Message: fmt.Sprintf("this agent is found in %s, whose card replaces this one when that is read again; change it there", fault.Clip(s.Location)),
		})
	}
	more, err := r.replaceMetadata(old, &next, in, done) // more than the card has changed
	if err != nil {
		return Change{}, err
	}
	if old.Source.Gone && in.OnlyName == "" { // nobody would read its card again
		next.Source, more = Source{}, true
	}
	if more {
		version := change.Version
		if change, err = r.write(old, &next); err != nil {
			return Change{}, err
		}
		change.Version = version
	}
	done.Agent, done.Outcome = next.Agent, OutcomeReplaced
	if sameJSON(old.inForce(), next.inForce()) {
		done.Outcome = OutcomeUnchanged
	}
	return change, nil
}

// inForce returns what an application can change, without what waits for an admin.
func (a *Agent) inForce() any {
	return []any{a.LiveVersion, a.CardURI, a.Verification, a.Metadata, a.Source}
}

// replaceMetadata gives next the metadata in in, or has it wait, and reports whether that changes anything.
func (r *Registry) replaceMetadata(old, next *Record, in *Application, done *Applied) (changed bool, err error) {
	if in.Metadata == nil {
		return false, nil
	}
	if in.OnlyName != "" && !sameRules(old.Metadata, *in.Metadata) {
		return false, fault.New(fault.PermissionDenied, "RULES_ARE_THE_ADMINS",
			"an agent cannot change consultation_requirements or at_most_once_skills; apply the present ones, or ask an admin")
	}
	waiting := next.Pending
	next.Metadata = *in.Metadata
	warnings, err := r.holdSchemas(old, next, in.author())
	done.Warnings = append(slices.Clip(done.Warnings), warnings...)
	return !sameJSON(old.Metadata, next.Metadata) || next.Pending != waiting, err
}

// sameRules reports whether two metadata agree in the rules that only admins may change.
func sameRules(a, b agentcard.Metadata) bool {
	return sameJSON(a.ConsultationRequirements, b.ConsultationRequirements) && sameJSON(a.AtMostOnceSkills, b.AtMostOnceSkills)
}

// sameJSON reports whether two values have the same JSON, where null and an empty list count as the same.
func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	none := func(text []byte) bool { return string(text) == "null" || string(text) == "[]" }
	return err == nil && err2 == nil && (bytes.Equal(x, y) || none(x) && none(y))
}

// afterApply renews the probe lease of an agent whose card was read, has a new agent probed, and returns the agent with its status.
func (r *Registry) afterApply(ctx context.Context, key Key, in *Application, done Applied, asked time.Time) Applied {
	switch {
	case in.ValidateOnly:
	case in.CardURI == "":
		r.probeSoon(key)
	case done.Outcome != OutcomeCreated:
		r.tryRenewProbeLease(ctx, key, asked)
	}
	done.Agent = r.withStatusAfterWrite(ctx, done.Agent)
	return done
}

// appliedBefore answers a retried Apply, as answerRetry answers other writes.
func (r *Registry) appliedBefore(ctx context.Context, tenant string, first *Request, err error) (Applied, error) {
	agent, warnings, err := r.answerRetry(ctx, tenant, first, err)
	if err != nil {
		return Applied{}, err
	}
	return Applied{agent, first.Outcome, warnings}, nil
}
