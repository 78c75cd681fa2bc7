package registry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Registration is a request to register an agent. Exactly one of RawCard and CardURI is set.
type Registration struct {
	RawCard      []byte
	CardURI      string              // without a path it stands for the well-known path at that origin
	Name         string              // the agent's, when it is not to be the card's; empty: the card's
	Metadata     *agentcard.Metadata // takes precedence over what the card carries
	RequestID    string              // makes a retry safe for 24 hours; empty: it is not
	Caller       string              // who asks; request ids are the caller's own
	OnlyName     string              // when set, the agent must have this name, or it is a PermissionDenied fault with the reason NOT_YOUR_AGENT
	ValidateOnly bool                // check everything and write nothing
	Version      string              // the version that the caller expects in the card; another one is a warning; empty for no expectation
	Source       Source              // where the card was found; zero when the caller brought it
}

// Register registers an agent by its card. A name that is taken is an AlreadyExists fault with the reason AGENT_EXISTS. A request id that was used
// with other content is a Conflict fault with the reason REQUEST_ID_REUSED.
//
// A card that was read by URL counts as an answered probe. The agent of an inline card is probed in the background.
func (r *Registry) Register(ctx context.Context, tenant string, in Registration) (Agent, []agentcard.Warning, error) {
	if (len(in.RawCard) == 0) == (in.CardURI == "") {
		return Agent{}, nil, fault.Invalid("card", "VALIDATION_FAILED", "either a card or the URL of one is needed")
	}
	w := in.writer(r)
	content := in.asked()
	if first, done, err := r.begin(ctx, Key{Tenant: tenant}, w.retry, content); err != nil || done {
		return r.answerRetry(ctx, tenant, first, err)
	}
	_, change, warnings, err := r.prepare(ctx, tenant, in)
	if err != nil {
		return Agent{}, nil, err
	}
	key := change.Record.Key()
	alikes, err := r.checkLooks(ctx, tenant, key.Name)
	if err != nil {
		return Agent{}, nil, err
	}
	warnings = append(warnings, alikes...)
	replayed, err := w.update(ctx, key, content, func(q *Request) { q.Warnings = warnings }, func(old *Record) (Change, error) {
		if old != nil {
			return Change{}, fault.New(fault.AlreadyExists, "AGENT_EXISTS", "an agent named %q is registered already", old.Name).With("agent", old.Name)
		}
		return change, nil
	})
	if err != nil || replayed != nil {
		return r.answerRetry(ctx, tenant, replayed, err)
	}
	if !in.ValidateOnly && in.CardURI == "" {
		r.probeSoon(key)
	}
	agent := change.Record.Agent
	agent.Status = change.Pulse.At(r.now())
	return agent, warnings, nil
}

// writer returns the writer of what the registration changes.
func (in *Registration) writer(r *Registry) Writer {
	w := r.Once(Retry{Caller: in.Caller, RequestID: in.RequestID})
	if in.ValidateOnly {
		w = w.DryRun()
	}
	return w
}

// asked returns what a retry must have in common with the first request.
func (in *Registration) asked() any {
	return struct {
		RawCard  []byte
		CardURI  string
		Metadata *agentcard.Metadata
		Version  string
		Name     string `json:",omitempty"`
	}{in.RawCard, in.CardURI, in.Metadata, in.Version, in.Name}
}

// prepare checks a registration and returns its card, and what to write when the agent is new.
func (r *Registry) prepare(ctx context.Context, tenant string, in Registration) (c content, change Change, warnings []agentcard.Warning, err error) {
	if in.Name != "" && !agentcard.ValidName(in.Name) {
		return content{}, Change{}, nil, fault.Invalid("name", "NAME_INVALID", "the name %q is not valid: %s", fault.Clip(in.Name), agentcard.NameRule)
	}
	now := r.now().UTC()
	raw, uri, pulse := bytes.Clone(in.RawCard), "", Pulse{}
	if in.CardURI != "" {
		fetched, err := r.FetchCard(ctx, in.CardURI, Validators{})
		if err != nil {
			return content{}, Change{}, nil, err
		}
		raw, uri = fetched.RawCard, fetched.URI
		pulse.answered(now, r.leaseDuration)
	}
	if c, err = r.read(ctx, Key{tenant, in.Name}, raw); err != nil {
		return content{}, Change{}, nil, err
	}
	change, warnings, err = r.compose(ctx, tenant, in, c, uri, pulse)
	return c, change, warnings, err
}

// compose returns the change that creates an agent with the card. It does not check the name for look-alikes.
func (r *Registry) compose(ctx context.Context, tenant string, in Registration, c content, uri string, pulse Pulse) (Change, []agentcard.Warning, error) {
	now := r.now().UTC()
	verification, err := r.admit(nil, c.verification)
	if err != nil {
		return Change{}, nil, err
	}
	card, own, warnings := c.card, c.own, c.warnings
	name := cmp.Or(in.Name, card.Name)
	if in.OnlyName != "" && name != in.OnlyName {
		return Change{}, nil, NotYours(in.OnlyName, name)
	}
	metadata := own
	if in.Metadata != nil {
		metadata = in.Metadata
		if own != nil && !sameJSON(own, metadata) {
			warnings = append(warnings, agentcard.Warning{
				Code: "CARD_METADATA_IGNORED", Field: "metadata",
				Message: "the card carries other metadata; what came with the request wins",
			})
		}
	}
	if in.Version != "" && in.Version != card.Version {
		warnings = append(warnings, agentcard.Warning{
			Code: "VERSION_MISMATCH", Field: "version",
			Message: fmt.Sprintf("the version was given as %q, and the card says %s; the card's counts", fault.Clip(in.Version), card.Version),
		})
	}
	record := Record{Agent: Agent{
		Tenant: tenant, Name: name, Card: card, RawCard: c.raw, CardURI: uri, CreateTime: now, UpdateTime: now,
		LiveVersion: 1, LatestVersion: 1, LatestHash: c.hash, Source: in.Source, Verification: verification,
	}}
	if metadata != nil {
		record.Metadata = *metadata
	}
	more, err := r.checkMetadata(ctx, &record.Agent)
	if err != nil {
		return Change{}, nil, err
	}
	if err := record.stamp(1); err != nil {
		return Change{}, nil, err
	}
	return Change{Record: &record, Pulse: &pulse, Version: c.version(name, 1, uri, now, nil)}, append(warnings, more...), nil
}

// NotYours returns the PermissionDenied fault for an agent, by its name as a caller, that acts on another agent, with the reason NOT_YOUR_AGENT.
func NotYours(caller, name string) error {
	return fault.New(fault.PermissionDenied, "NOT_YOUR_AGENT", "the token is that of %q, which as an agent may act for itself only, and not for %q", fault.Clip(caller), fault.Clip(name)).
		With("agent", fault.Clip(name))
}
