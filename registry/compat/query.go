package compat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Directions of a Query.
const (
	Consumers = "consumers" // agents that accept what this agent produces
	Producers = "producers" // agents that produce what this agent needs
)

// Query says what to look for on behalf of an agent.
type Query struct {
	Direction string // Consumers or Producers; empty is Consumers
	Schema    string // only this output or input of the agent; empty means all
	MinTier   string // the weakest tier to return; empty is TierStructure
	After     Place  // continue behind this place; the zero Place starts at the beginning
}

// Validate returns an InvalidArgument fault with the reason VALIDATION_FAILED if the query asks for a direction or a tier that there is not.
func (q *Query) Validate() error {
	if q.Direction != "" && q.Direction != Consumers && q.Direction != Producers {
		return fault.Invalid("direction", "VALIDATION_FAILED", "%q is not one of consumers, producers", fault.Clip(q.Direction))
	}
	if q.MinTier != "" && !slices.Contains(tiers, q.MinTier) {
		return fault.Invalid("min_tier", "VALIDATION_FAILED", "%q is not one of %s", fault.Clip(q.MinTier), strings.Join(tiers, ", "))
	}
	return nil
}

// Place is the position of a pair in the order of results.
type Place struct {
	Tier   int    `json:"t"`           // 1 is the strongest
	Own    string `json:"o,omitempty"` // the schema of the agent that was asked about
	Type   string `json:"y,omitempty"` // semantic type of the other agent's schema
	Other  string `json:"a,omitempty"` // the other agent
	Schema string `json:"s,omitempty"` // its schema
}

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Tier, q.Tier), strings.Compare(p.Own, q.Own), strings.Compare(p.Type, q.Type),
		strings.Compare(p.Other, q.Other), strings.Compare(p.Schema, q.Schema))
}

// Pair is an output of one agent and an input of another that fit together.
type Pair struct {
	Place                      Place
	Producer, Output, OutputOf string // OutputOf is the output's semantic type
	Consumer, Input, InputOf   string // InputOf is the input's semantic type
	Tier                       string
	Path                       []string // the types on the way, both ends included; nil for TierStructure
	Explanation                []string // in sentences
}
