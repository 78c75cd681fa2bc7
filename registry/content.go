package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/jws"
)

// content is a card that was parsed and checked but not stored yet.
type content struct {
	raw          []byte
	card         agentcard.Card
	own          *agentcard.Metadata // the metadata in the card, or nil
	hash         string
	verification Verification
	warnings     []agentcard.Warning
	wanted       bool   // an admin brings the card, and may return to a version that was gone back from
	author       string // who brings the card; empty when that is an admin
}

// read parses the card of an agent, of the one that the card names when key has no name, and checks its signatures against the keys for that agent. admit
// decides whether the result suffices.
func (r *Registry) read(ctx context.Context, key Key, raw []byte) (content, error) {
	card, own, warnings, err := agentcard.ParseFor(raw, key.Name)
	if err != nil {
		return content{}, err
	}
	c := content{raw: raw, card: card, own: own, hash: contentHash(raw), warnings: warnings}
	if r.unspoken != nil {
		if why := r.unspoken(card); why != "" {
			c.warnings = append(c.warnings, agentcard.Warning{
				Code: "AGENT_INTERFACE_UNSUPPORTED", Field: "card.supportedInterfaces", Message: "the agent " + why + ": no task can be sent to it",
			})
		}
	}
	key.Name = cmp.Or(key.Name, card.Name)
	if c.verification, err = r.verify(ctx, key, raw); err != nil {
		return content{}, fmt.Errorf("checking the signatures of the card: %w", err)
	}
	if c.verification.State == VerificationUntrusted {
		c.warnings = append(c.warnings, agentcard.Warning{Code: "CARD_SIGNATURE_UNTRUSTED", Message: c.verification.Reason, Field: "card.signatures"})
	}
	return c, nil
}

// version returns the card as a version of an agent.
func (c *content) version(agent string, number int64, uri string, at time.Time, breaking []agentcard.BreakingChange) *Version {
	return &Version{
		Agent: agent, Number: number, Hash: c.hash, RawCard: c.raw, CardURI: uri, CardVersion: c.card.Version, Breaking: breaking, CreateTime: at,
	}
}

// contentHash returns the hash of a card's content. A card without a canonical form, which is no longer taken, is hashed by its bytes.
func contentHash(raw []byte) string {
	canonical, err := jws.Canonical(raw)
	if err != nil {
		canonical = raw
	}
	hash := sha256.Sum256(canonical)
	return hex.EncodeToString(hash[:])
}

// keptMetadata warns of metadata in a card that is read again: the agent keeps what it has, and the author of the card may expect otherwise.
func (c *content) keptMetadata(old *Record) []agentcard.Warning {
	if c.own == nil || sameJSON(c.own, old.Metadata) {
		return nil
	}
	return []agentcard.Warning{{
		Code: "CARD_METADATA_IGNORED", Field: "metadata",
		Message: "the card carries other metadata than the agent has, which stays; an admin replaces it with quorate agents register --replace --metadata FILE",
	}}
}
