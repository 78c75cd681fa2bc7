package registry

import (
	"time"

	"github.com/quorate/quorate/registry/agentcard"
)

// CardChanges says whose changes to an agent take effect at once, where they touch what matters: everything in a card but texts for readers, the
// origin from which the card is read, and the schemas in the metadata.
type CardChanges string

// The policies. The zero value is CardChangesAllow.
const (
	CardChangesAllow   CardChanges = "allow"   // everybody's who may write
	CardChangesConfirm CardChanges = "confirm" // admins' only; others' wait until an admin approves them
)

// Valid reports whether c is a policy.
func (c CardChanges) Valid() bool {
	return c == "" || c == CardChangesAllow || c == CardChangesConfirm
}

// Authors of changes that may have to wait. What an admin brings never does.
const (
	AuthorAgent     = "agent"     // the agent itself, with its own token
	AuthorRefresher = "refresher" // the card was read again from its URL, perhaps because an admin asked for that
	AuthorSource    = "source"    // the card was found again in a list or a catalog of the configuration
)

// Pending is what waits until an admin approves or refuses it: a card, schemas, or both. Nothing goes by it.
type Pending struct {
	Card    *PendingCard    `json:"card,omitempty"`
	Schemas *PendingSchemas `json:"schemas,omitempty"`
}

// PendingCard is a card that waits. Its bytes are those of the version.
type PendingCard struct {
	Held

	Version int64  `json:"version"` // that of the live card if only the URL would change
	Hash    string `json:"hash"`    // of the card's content
	CardURI string `json:"card_uri,omitempty"`
}

// PendingSchemas are schemas that wait.
type PendingSchemas struct {
	Held

	InputSchemas  []agentcard.InputSchema  `json:"input_schemas,omitempty"`
	OutputSchemas []agentcard.OutputSchema `json:"output_schemas,omitempty"`
}

// Held says who brought something that waits, and what it would change.
type Held struct {
	Author      string       `json:"author"` // one of the constants above
	Time        time.Time    `json:"time"`
	Digest      string       `json:"digest"` // of what matters in it
	Differences []Difference `json:"differences"`
}

// card returns the card that waits, or nil.
func (p *Pending) card() *PendingCard {
	if p == nil {
		return nil
	}
	return p.Card
}

// hasCard reports whether a card with the hash waits. An admin may bring it nevertheless.
func (p *Pending) hasCard(hash string) bool {
	card := p.card()
	return card != nil && card.Hash == hash
}

// schemas returns the schemas that wait, or nil.
func (p *Pending) schemas() *PendingSchemas {
	if p == nil {
		return nil
	}
	return p.Schemas
}

// with returns what waits with another card and other schemas, each of which may be nil. It returns p itself when that is the same.
func (p *Pending) with(card *PendingCard, schemas *PendingSchemas) *Pending {
	switch {
	case p.card() == card && p.schemas() == schemas:
		return p
	case card == nil && schemas == nil:
		return nil
	}
	return &Pending{Card: card, Schemas: schemas}
}

// Author returns who brought what came last.
func (p *Pending) Author() string { return p.latest().Author }

// Time returns when the last of it was brought.
func (p *Pending) Time() time.Time { return p.latest().Time }

// Differences returns all differences from what is in force.
func (p *Pending) Differences() []Difference {
	var all []Difference
	for _, h := range p.held() {
		all = append(all, h.Differences...)
	}
	return all
}

func (p *Pending) latest() Held {
	var latest Held
	for _, h := range p.held() {
		if h.Time.After(latest.Time) {
			latest = h
		}
	}
	return latest
}

// held returns what is known of each part.
func (p *Pending) held() []Held {
	var all []Held
	if card := p.card(); card != nil {
		all = append(all, card.Held)
	}
	if schemas := p.schemas(); schemas != nil {
		all = append(all, schemas.Held)
	}
	return all
}
