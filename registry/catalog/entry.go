package catalog

import (
	"net/url"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Media types of entries.
const (
	typeCard     = "application/a2a-agent-card+json"
	typeCatalog  = "application/ai-catalog+json"
	typeRegistry = "application/ai-registry+json"
)

// Limits of an entry.
const (
	maxTags        = 50
	maxTag         = 64 // bytes
	maxQueries     = 5
	minQueries     = 2
	maxQuery       = 500  // characters
	maxDescription = 1000 // characters
)

// document is an AI Catalog.
type document struct {
	SpecVersion string  `json:"specVersion"`
	Host        host    `json:"host"`
	Entries     []entry `json:"entries"`
}

type host struct {
	DisplayName string `json:"displayName"`
}

// entry is one agent, or the registry itself, in a catalog.
type entry struct {
	Identifier            string            `json:"identifier"`
	DisplayName           string            `json:"displayName"`
	Type                  string            `json:"type"`
	URL                   string            `json:"url"`
	Description           string            `json:"description,omitempty"`
	Tags                  []string          `json:"tags,omitempty"`
	Capabilities          []string          `json:"capabilities,omitempty"`
	RepresentativeQueries []string          `json:"representativeQueries,omitempty"`
	Version               string            `json:"version,omitempty"`
	UpdatedAt             string            `json:"updatedAt,omitempty"`
	Metadata              map[string]string `json:"metadata,omitempty"`
}

// place determines the names and URLs under which agents are published.
type place struct{ base, publisher string }

// agent returns the entry of an agent. Its capabilities are the ids of its skills, and its tags are those of all its skills.
func (p place) agent(a *registry.Agent) entry {
	e := entry{
		Identifier: "urn:air:" + p.publisher + ":agent:" + a.Name, DisplayName: a.Name, Type: typeCard,
		URL: p.base + "/v1/agents/" + url.PathEscape(a.Name) + "/card", Description: fault.ClipTo(a.Card.Description, maxDescription), Version: a.Card.Version,
		UpdatedAt: a.UpdateTime.UTC().Format(time.RFC3339),
		Metadata:  map[string]string{"status": a.Status.Status, "verification": a.Verification.State},
	}
	if a.Verification.State == "" {
		e.Metadata["verification"] = registry.VerificationUnchecked
	}
	seen := make(map[string]bool)
	for i := range a.Card.Skills {
		s := &a.Card.Skills[i]
		if len(e.Capabilities) < maxTags {
			e.Capabilities = append(e.Capabilities, s.ID)
		}
		for _, tag := range s.Tags {
			if !seen[tag] && len(e.Tags) < maxTags && len(tag) <= maxTag {
				seen[tag] = true
				e.Tags = append(e.Tags, tag)
			}
		}
		for _, example := range s.Examples {
			if len(e.RepresentativeQueries) < maxQueries {
				e.RepresentativeQueries = append(e.RepresentativeQueries, fault.ClipTo(example, maxQuery))
			}
		}
	}
	if len(e.RepresentativeQueries) < minQueries { // the schema requires so many
		e.RepresentativeQueries = nil
	}
	return e
}

// size returns the approximate size of the entry in bytes.
func (e *entry) size() int {
	n := 200 + len(e.Identifier) + len(e.DisplayName) + len(e.URL) + len(e.Description)
	for _, list := range [][]string{e.Tags, e.Capabilities, e.RepresentativeQueries} {
		for _, text := range list {
			n += len(text)
		}
	}
	return n
}

// registry returns the entry that refers to the search API.
func (p place) registry() entry {
	return entry{
		Identifier: "urn:air:" + p.publisher + ":registry:quorate", DisplayName: "Quorate", Type: typeRegistry,
		URL: p.base + ARDPath, Description: "Search for all agents of this registry, by Agentic Resource Discovery.",
	}
}
