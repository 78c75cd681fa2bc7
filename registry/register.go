package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// requestLife is how long a retry gets the first answer.
const requestLife = 24 * time.Hour

// Registration is what RegisterAgent is asked for. Exactly one of RawCard and CardURI is set.
type Registration struct {
	RawCard      []byte
	CardURI      string    // without a path it means the well-known path at that origin
	Metadata     *Metadata // wins over what the card carries
	RequestID    string    // makes a retry safe for 24 hours; empty does not
	Caller       string    // who asks; request ids are the caller's own
	OnlyName     string    // when set, the card must have this name, or it is a PermissionDenied fault with the reason NOT_YOUR_AGENT
	ValidateOnly bool      // check everything and write nothing
	Version      string    // what the caller takes the card's version to be; another one is a warning; empty says nothing
	Source       Source    // where the card was found; zero for one that a caller brought
}

// Register registers an agent from its card. A name that is taken is an AlreadyExists fault with the reason AGENT_EXISTS; a
// request id that came with other content, a Conflict with REQUEST_ID_REUSED.
//
// A card that was read by URL counts as an answered probe. The agent of an inline card is probed in the background.
func (r *Registry) Register(ctx context.Context, tenant string, in Registration) (Agent, []Warning, error) {
	if (len(in.RawCard) == 0) == (in.CardURI == "") {
		return Agent{}, nil, fault.Invalid("card", "CARD_MISSING", "either a card or the URL of one is needed")
	}
	request, err := r.request(tenant, in)
	if err != nil {
		return Agent{}, nil, err
	}
	if agent, warnings, done, err := r.replay(ctx, request); done || err != nil {
		return agent, warnings, err
	}
	change, warnings, err := r.prepare(ctx, tenant, in)
	if err != nil {
		return Agent{}, nil, err
	}
	if request != nil {
		request.Agent, request.Warnings = change.Record.Name, warnings
		change.Remember = request
	}
	err = r.store.Update(ctx, change.Record.Key(), func(old *Record) (Change, error) {
		if old != nil {
			return Change{}, fault.New(fault.AlreadyExists, "AGENT_EXISTS", "an agent named %q is registered already", old.Name).With("agent", old.Name)
		}
		return change, nil
	})
	if errors.Is(err, ErrRequestSeen) || fault.ReasonOf(err) == "AGENT_EXISTS" { // perhaps by the same request, a moment ago
		if agent, warnings, done, replayErr := r.replay(ctx, request); done || replayErr != nil {
			return agent, warnings, replayErr
		}
	}
	if err != nil {
		return Agent{}, nil, err
	}
	if !in.ValidateOnly && in.CardURI == "" {
		r.probeSoon(change.Record.Key())
	}
	agent := change.Record.Agent
	agent.Status = change.Pulse.At(r.now())
	return agent, warnings, nil
}

// request returns what to remember of a registration, or nil when it is not to be remembered.
func (r *Registry) request(tenant string, in Registration) (*Request, error) {
	if in.RequestID == "" || in.ValidateOnly {
		return nil, nil
	}
	content, err := json.Marshal(struct {
		RawCard  []byte
		CardURI  string
		Metadata *Metadata
		Version  string
	}{in.RawCard, in.CardURI, in.Metadata, in.Version})
	if err != nil {
		return nil, fmt.Errorf("encoding registration: %w", err)
	}
	now := r.now().UTC()
	return &Request{
		Key: RequestKey{tenant, in.Caller, in.RequestID}, Digest: sha256.Sum256(content),
		CreateTime: now, ExpireTime: now.Add(requestLife),
	}, nil
}

// replay answers a request that was answered before: with the agent as it is now, as AIP-155 allows.
func (r *Registry) replay(ctx context.Context, request *Request) (agent Agent, warnings []Warning, done bool, err error) {
	if request == nil {
		return Agent{}, nil, false, nil
	}
	first, ok, err := r.store.Request(ctx, request.Key)
	if err != nil || !ok || !request.CreateTime.Before(first.ExpireTime) {
		return Agent{}, nil, false, err
	}
	if first.Digest != request.Digest {
		return Agent{}, nil, false, fault.New(fault.Conflict, "REQUEST_ID_REUSED",
			"the request id %q came before with other content; use a new one", request.Key.ID).With("request_id", request.Key.ID)
	}
	agent, err = r.Agent(ctx, request.Key.Tenant, first.Agent)
	return agent, first.Warnings, true, err
}

// prepare checks a registration and returns what to write.
func (r *Registry) prepare(ctx context.Context, tenant string, in Registration) (Change, []Warning, error) {
	now := r.now().UTC()
	raw, uri, pulse := bytes.Clone(in.RawCard), "", Pulse{}
	if in.CardURI != "" {
		var err error
		if uri, err = cardURL(in.CardURI); err != nil {
			return Change{}, nil, err
		}
		if raw, err = r.fetchCard(ctx, uri); err != nil {
			return Change{}, nil, err
		}
		pulse.ProbeTime, pulse.ProbeExpire = now, now.Add(r.leaseDuration)
	}
	c, err := r.read(ctx, tenant, raw)
	if err != nil {
		return Change{}, nil, err
	}
	return r.compose(ctx, tenant, in, c, uri, pulse)
}

// compose returns what to write for a new agent with the card.
func (r *Registry) compose(ctx context.Context, tenant string, in Registration, c content, uri string, pulse Pulse) (Change, []Warning, error) {
	now := r.now().UTC()
	verification, err := r.admit(nil, c.verification)
	if err != nil {
		return Change{}, nil, err
	}
	card, own, warnings := c.card, c.own, c.warnings
	if in.OnlyName != "" && card.Name != in.OnlyName {
		return Change{}, nil, NotYours(card.Name)
	}
	metadata := own
	if in.Metadata != nil {
		metadata = in.Metadata
		if own != nil {
			warnings = append(warnings, Warning{
				Code: "CARD_METADATA_IGNORED", Field: "metadata",
				Message: "the card carries metadata of its own; what came with the request wins",
			})
		}
	}
	if in.Version != "" && in.Version != card.Version {
		warnings = append(warnings, Warning{
			Code: "VERSION_MISMATCH", Field: "version",
			Message: fmt.Sprintf("the version was given as %q, and the card says %s; the card's counts", clip(in.Version), card.Version),
		})
	}
	alikes, err := r.checkLooks(ctx, tenant, card.Name)
	if err != nil {
		return Change{}, nil, err
	}
	warnings = append(warnings, alikes...)
	record := Record{Agent: Agent{
		Tenant: tenant, Name: card.Name, Card: card, RawCard: c.raw, CardURI: uri, CreateTime: now, UpdateTime: now,
		LiveVersion: 1, LatestVersion: 1, LatestHash: c.hash, Source: in.Source, Verification: verification,
	}}
	if metadata != nil {
		record.Metadata = *metadata
	}
	more, err := r.checkMetadata(ctx, &record.Agent)
	if err != nil {
		return Change{}, nil, err
	}
	record.Metadata = record.Metadata.kept()
	if err := record.seal(1); err != nil {
		return Change{}, nil, err
	}
	return Change{Record: &record, Pulse: &pulse, Version: record.version(c.hash, nil), DryRun: in.ValidateOnly}, append(warnings, more...), nil
}

// NotYours returns the PermissionDenied fault for an agent that acts on another one, with the reason NOT_YOUR_AGENT.
func NotYours(name string) error {
	return fault.New(fault.PermissionDenied, "NOT_YOUR_AGENT", "an agent may act for itself only, and this is %q", clip(name)).With("agent", clip(name))
}
