package registry

import (
	"context"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Types of sources.
const (
	SourceAPI       = "api"        // registered by an admin or by the agent itself
	SourceURLs      = "urls"       // a list of card URLs in the configuration
	SourceFolder    = "folder"     // a folder of card files
	SourceAICatalog = "ai-catalog" // an AI Catalog
)

// Source is where an agent was found. The zero value means SourceAPI.
type Source struct {
	Type     string `json:"type,omitempty"`
	Location string `json:"location,omitempty"` // the card's URL, the folder, or the catalog's URL; empty for SourceAPI
	Gone     bool   `json:"gone,omitempty"`     // the source no longer exists or no longer has the agent

	SeenTime time.Time `json:"-"` // when the agent was last seen there; kept in its Pulse, since it is written often
}

// found reports whether the agent was found in a source of the configuration.
func (s Source) found() bool { return s.Type != "" && s.Type != SourceAPI }

// same reports whether both are the same place.
func (s Source) same(other Source) bool { return s.Type == other.Type && s.Location == other.Location }

// Found is an agent that was found in a source.
type Found struct {
	RawCard []byte
	CardURI string // where the card was read; empty when it was in a file or in the catalog itself
	Source  Source
}

// Discover registers an agent that was found, or adds its card as the next version of the agent that was found there before. It never changes an
// agent of another source: that is an AlreadyExists fault with the reason AGENT_FROM_ELSEWHERE.
func (r *Registry) Discover(ctx context.Context, tenant string, f Found) (Agent, []agentcard.Warning, error) {
	c, err := r.read(ctx, Key{Tenant: tenant}, f.RawCard)
	if err != nil {
		return Agent{}, nil, err
	}
	if f.Source.Type != SourceFolder { // whose files are the operator's own
		c.author = AuthorSource
	}
	now := r.now().UTC()
	pulse := Pulse{SeenTime: now}
	if f.CardURI != "" { // reading the card was a probe, and the agent has answered it
		pulse.answered(now, r.leaseDuration)
	}
	create, createWarnings, createErr := r.compose(ctx, tenant, Registration{Source: f.Source}, c, f.CardURI, pulse)
	key := Key{tenant, c.card.Name}
	if createErr == nil {
		var alikes []agentcard.Warning
		alikes, createErr = r.checkLooks(ctx, tenant, key.Name)
		createWarnings = append(createWarnings, alikes...)
	}
	var next Record
	var warnings []agentcard.Warning
	created, held := false, false
	err = r.store.Update(ctx, key, func(old *Record) (change Change, err error) {
		if created, held = old == nil, false; created {
			if createErr == nil {
				next, warnings = *create.Record, createWarnings
			}
			return create, createErr
		}
		if !old.Source.same(f.Source) {
			return Change{}, fault.New(fault.AlreadyExists, "AGENT_FROM_ELSEWHERE",
				"an agent named %q is registered already, and not from %s", old.Name, fault.Clip(f.Source.Location)).With("agent", old.Name)
		}
		next, change, warnings, err = r.addVersion(old, c, f.CardURI)
		held = next.Pending.card() != nil && next.Pending != old.Pending
		return change, err
	})
	if err != nil {
		return Agent{}, nil, err
	}
	if held {
		r.logWaiting(ctx, &next.Agent)
	}
	if !created {
		err = r.Seen(ctx, key, f.CardURI != "")
	} else if f.CardURI == "" {
		r.probeSoon(key)
	}
	return next.Agent, warnings, err
}

// Seen records that an agent is still in its source and, when answered is true, that its own server answered with its card.
func (r *Registry) Seen(ctx context.Context, key Key, answered bool) error {
	now := r.now().UTC()
	err := r.store.UpdatePulse(ctx, key, func(p Pulse) (Pulse, error) {
		p.SeenTime = now
		if answered {
			p.answered(now, r.leaseDuration)
		}
		return p, nil
	})
	if err != nil {
		return err
	}
	return r.markGone(ctx, key, false)
}

// MarkGone marks the agents, of all tenants and of sources other than SourceAPI, for which gone returns true, and returns how many are newly marked.
// It deletes none: an admin decides about that.
func (r *Registry) MarkGone(ctx context.Context, gone func(a *Agent) bool) (marked int, err error) {
	var missing []Key
	err = r.directory.every(ctx, 0, func(a *Agent, _ Pulse) {
		if a.Source.found() && !a.Source.Gone && gone(a) {
			missing = append(missing, a.Key())
		}
	})
	for _, key := range missing {
		if err := r.markGone(ctx, key, true); err != nil {
			return marked, err
		}
		marked++
	}
	return marked, err
}

// markGone records whether an agent is gone from its source. It does nothing for an agent that was deleted, or is no source's any
// more.
func (r *Registry) markGone(ctx context.Context, key Key, gone bool) error {
	record, err := r.store.Agent(ctx, key)
	if err == nil && record.Source.found() && record.Source.Gone != gone {
		err = r.store.Update(ctx, key, func(old *Record) (Change, error) {
			if old == nil {
				return Change{}, Missing(key)
			}
			next := *old
			if !next.Source.found() || next.Source.Gone == gone { // an admin may have taken it over meanwhile
				return Change{Record: &next}, nil
			}
			next.Source.Gone = gone
			return r.write(old, &next)
		})
	}
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}
