package registry

import "time"

// Where agents come from.
const (
	SourceAPI       = "api"        // registered by an admin or by itself
	SourceURLs      = "urls"       // a list of card URLs in the configuration
	SourceFolder    = "folder"     // a folder of card files
	SourceAICatalog = "ai-catalog" // an AI Catalog
)

// Source is where an agent was found. The zero value means SourceAPI.
type Source struct {
	Type     string `json:"type,omitempty"`
	Location string `json:"location,omitempty"` // the card's URL, the folder or the catalog's URL; empty for SourceAPI
	Gone     bool   `json:"gone,omitempty"`     // the source, or the agent in it, is no longer there

	SeenTime time.Time `json:"-"` // when the agent was last seen there; kept in its Pulse, for it is written often
}
