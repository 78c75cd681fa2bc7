package registry

import (
	"context"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// MaxVersions is how many versions of an agent's card are kept.
const MaxVersions = 100

// Version is one version of an agent's card. It never changes, except that a card that waits for an admin takes the place of the one that waited.
type Version struct {
	Agent       string
	Number      int64  // counts from 1
	Hash        string // SHA-256 in hex of the card's canonical form (RFC 8785): cards with the same content have the same hash
	RawCard     []byte // the bytes as they were read
	CardURI     string // where they were read; empty when the card was given inline
	CardVersion string // the semantic version in the card
	Breaking    []agentcard.BreakingChange
	CreateTime  time.Time
}

// VersionStore keeps the versions of agents' cards. Store.Update writes them; they are deleted with their agent.
type VersionStore interface {
	// Version returns one version, or the fault of MissingVersion.
	Version(ctx context.Context, key Key, number int64) (Version, error)
	// Versions returns at most limit versions with numbers less than before, or all for 0, newest first.
	Versions(ctx context.Context, key Key, before int64, limit int) ([]Version, error)
}

// MissingVersion returns the NotFound fault for a version that does not exist, with the reason VERSION_NOT_FOUND. Stores return it too.
func MissingVersion(key Key, number int64) error {
	return fault.New(fault.NotFound, "VERSION_NOT_FOUND", "agent %q has no version %d; the newest %d are kept", key.Name, number, MaxVersions).
		With("agent", key.Name)
}

// Versions returns at most limit (up to 100) versions with numbers less than before, or all for 0, newest first, and the number of the live one.
func (r *Registry) Versions(ctx context.Context, tenant, name string, before int64, limit int) (list []Version, live int64, err error) {
	key := Key{tenant, name}
	record, err := r.store.Agent(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	store, err := r.versionStore()
	if err != nil {
		return nil, 0, err
	}
	list, err = store.Versions(ctx, key, before, min(clampLimit(limit), MaxVersions))
	return list, record.LiveVersion, err
}

// Version returns one version of the agent's card and whether it is the live one.
func (r *Registry) Version(ctx context.Context, tenant, name string, number int64) (v Version, live bool, err error) {
	key := Key{tenant, name}
	record, err := r.store.Agent(ctx, key)
	if err != nil {
		return Version{}, false, err
	}
	store, err := r.versionStore()
	if err != nil {
		return Version{}, false, err
	}
	v, err = store.Version(ctx, key, number)
	return v, v.Number == record.LiveVersion, err
}

// SetLiveVersion makes a version of the agent's card the live one. The rules for signatures apply to it as to any card. A later refresh does not
// bring back the card that was live until now: it takes only a card with other content. The warnings say what the agent no longer offers.
//
// A version that waits for an admin may be replaced under its number. Without the agent's etag with which it was seen, the result is an InvalidArgument
// fault with the reason ETAG_MISSING.
func (w Writer) SetLiveVersion(ctx context.Context, tenant, name, etag string, number int64) (Agent, []agentcard.Warning, error) {
	r := w.registry
	v, _, err := r.Version(ctx, tenant, name, number)
	if err != nil {
		return Agent{}, nil, err
	}
	key := Key{tenant, name}
	c, err := r.read(ctx, key, v.RawCard)
	if err != nil {
		return Agent{}, nil, err
	}
	return w.updateAgent(ctx, key, []any{"live version", name, etag, number}, func(old *Record) (Change, []agentcard.Warning, error) {
		if err := old.checkSeen(number, etag); err != nil {
			return Change{}, nil, err
		}
		if old.LiveVersion == number {
			return Change{Record: old}, c.warnings, nil
		}
		verification, err := r.admit(&old.Agent, c.verification)
		if err != nil {
			return Change{}, nil, err
		}
		next := *old
		warnings := append(slices.Clip(c.warnings), agentcard.BreakingWarnings(agentcard.BreakingChanges(&old.Card, &c.card))...)
		next.Card, next.RawCard, next.LiveVersion, next.Verification = c.card, c.raw, number, verification
		next.Pending = old.Pending.with(nil, old.Pending.schemas()) // it was compared with another card
		if number == old.LatestVersion {
			next.LatestHash, next.TakenBackHash = c.hash, ""
		}
		change, err := r.write(old, &next)
		return change, warnings, err
	})
}

// checkSeen refuses a stale etag, and no etag for a version that waits.
func (a *Agent) checkSeen(number int64, etag string) error {
	waiting := a.Pending.card()
	if waiting != nil && waiting.Version == number && number != a.LiveVersion && (etag == "" || etag == "*") {
		return fault.Invalid("etag", "ETAG_MISSING", "version %d waits for approval and may have been replaced: give the etag of agent %q with which you saw it", number, a.Name)
	}
	return a.checkEtag(etag)
}

// addVersion makes the card the agent's next version, and the live one. Two kinds of cards make no version: one with the content of the live version, and
// one with the content of the newest version when an admin went back from that, unless an admin brings it. For those only a new URL is stored and,
// for the live one, the result of checking its signatures now. A card that waits for an admin is a version too, but not the live one.
func (r *Registry) addVersion(old *Record, c content, uri string) (next Record, change Change, warnings []agentcard.Warning, err error) {
	next = *old
	c.warnings = append(slices.Clip(c.warnings), c.keptMetadata(old)...)
	verification, err := r.admit(&old.Agent, c.verification)
	if err != nil {
		return Record{}, Change{}, nil, err
	}
	waits := r.waits(c.author)
	if waits {
		differences, digest, err := cardChange(old, &c, uri)
		if err != nil {
			return Record{}, Change{}, nil, err
		}
		if len(differences) > 0 {
			return r.holdCard(old, c, uri, Held{Digest: digest, Differences: differences})
		}
		next.takeBack(uri)
	}
	if live := c.hash == old.liveHash(); live || (c.hash == old.LatestHash && !c.wanted && !old.Pending.hasCard(c.hash)) {
		if !live || verification.same(old.Verification) { // neither the policy nor a key has changed
			verification = old.Verification
		}
		change, err = r.keepVersion(old, &next, uri, verification)
		return next, change, c.warnings, err
	}
	if !waits { // what waits was compared with another card
		next.Pending = old.Pending.with(nil, old.Pending.schemas())
	}
	breaking := agentcard.BreakingChanges(&old.Card, &c.card)
	next.Card, next.RawCard, next.CardURI, next.Verification = c.card, c.raw, uri, verification
	next.LatestVersion, next.LatestHash, next.TakenBackHash = old.LatestVersion+1, c.hash, ""
	next.LiveVersion = next.LatestVersion
	if change, err = r.write(old, &next); err != nil {
		return Record{}, Change{}, nil, err
	}
	change.Version = c.version(next.Name, next.LiveVersion, uri, next.UpdateTime, breaking)
	return next, change, append(slices.Clip(c.warnings), agentcard.BreakingWarnings(breaking)...), nil
}

// keepVersion stores what may change with a card that makes no version: its URL, the result of checking its signatures, and that another card waits no
// more.
func (r *Registry) keepVersion(old, next *Record, uri string, v Verification) (Change, error) {
	next.Verification = v
	if uri != "" {
		next.CardURI = uri
	}
	if next.CardURI == old.CardURI && next.Verification == old.Verification && next.Pending == old.Pending {
		return Change{Record: next}, nil
	}
	return r.write(old, next)
}

// write returns the change from old to next, with a new etag.
func (r *Registry) write(old, next *Record) (Change, error) {
	next.UpdateTime = later(r.now().UTC(), old.UpdateTime)
	if err := next.stamp(old.Revision + 1); err != nil {
		return Change{}, err
	}
	return Change{Record: next}, nil
}

// liveHash returns the hash of the live card. It computes the hash only when it is not known.
func (a *Record) liveHash() string {
	if a.LiveVersion == a.LatestVersion && a.LatestHash != "" {
		return a.LatestHash
	}
	return contentHash(a.RawCard)
}

func (r *Registry) versionStore() (VersionStore, error) {
	if r.versions == nil {
		return nil, unsupported("versions of cards")
	}
	return r.versions, nil
}

func unsupported(what string) error {
	return fault.New(fault.FailedPrecondition, "STORE_LACKS_FEATURE", "the store of this server keeps no %s", what)
}
