package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Key names an agent across tenants.
type Key struct{ Tenant, Name string }

// Agent is a registered agent. Its slices and maps are shared with other readers: treat them as read-only.
type Agent struct {
	Tenant     string
	Name       string // that of the card, unless it was registered under another one
	Card       agentcard.Card
	RawCard    []byte // the card's bytes as they were registered
	CardURI    string // empty when the card was given inline
	Metadata   agentcard.Metadata
	Etag       string // strong; changes with every write to card or metadata, never with heartbeats
	Revision   int64  // counts the writes to card or metadata, from 1
	CreateTime time.Time
	UpdateTime time.Time
	Status     Status

	LiveVersion   int64  // the number of the version that Card is
	LatestVersion int64  // the highest number so far
	LatestHash    string // hash of the latest version's content; empty when that waited for an admin and was taken back
	TakenBackHash string // the hash in that case, so that the same card is the same version when it waits again
	Source        Source
	Verification  Verification
	Pending       *Pending // what waits for an admin; nil when nothing does
	Refused       []string // digests of the changes that admins refused last
}

// Key returns the agent's key.
func (a *Agent) Key() Key { return Key{a.Tenant, a.Name} }

// ReasonMissing is the reason of the fault for an agent that does not exist.
const ReasonMissing = "AGENT_NOT_FOUND"

// Missing returns the NotFound fault for an agent that does not exist; stores return it too.
func Missing(key Key) error {
	return fault.New(fault.NotFound, ReasonMissing, "no agent is named %q", fault.Clip(key.Name)).With("agent", fault.Clip(key.Name))
}

// stamp gives the agent the revision and a new etag, which is computed from everything a reader can see of the registration. The creation time is
// included, so that the etag of a deleted agent never matches a later agent of the same name.
func (a *Agent) stamp(revision int64) error {
	metadata, err := json.Marshal(a.Metadata)
	if err != nil {
		return fmt.Errorf("encoding metadata: %w", err)
	}
	a.Revision = revision
	h := sha256.New()
	h.Write(fmt.Appendf(nil, "%d %d %d\n", a.CreateTime.UnixNano(), revision, len(a.RawCard)))
	h.Write(a.RawCard)
	h.Write(metadata)
	a.Etag = hex.EncodeToString(h.Sum(nil)[:16])
	return nil
}

// checkEtag refuses a write whose etag is not the agent's. An empty etag and * always match.
func (a *Agent) checkEtag(etag string) error {
	if etag == "" || etag == "*" || etag == a.Etag {
		return nil
	}
	return a.changed()
}

// changed returns the Conflict fault for a write that is based on an outdated state.
func (a *Agent) changed() error {
	return fault.New(fault.Conflict, "ETAG_MISMATCH", "agent %q has changed since it was read; read it again and retry", a.Name).
		With("agent", a.Name).With("etag", a.Etag)
}
