package serve

import (
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/discovery"
)

// Agents says where agents come from besides the API, and at which addresses they may be.
type Agents struct {
	CardURLs      []string `yaml:"cardURLs" doc:"URLs of agent cards; the agents are registered, and the cards read again every 5 minutes."`
	CardFolder    string   `yaml:"cardFolder" doc:"Absolute path of a folder whose *.json files are agent cards."`
	Catalogs      []string `yaml:"catalogs" doc:"URLs of AI Catalogs; the agents they name are registered."`
	Signatures    string   `yaml:"signatures" doc:"Policy for the signatures of cards: off, verify-if-present or require."`
	CardChanges   string   `yaml:"cardChanges" doc:"allow: what agents change in their cards and schemas, themselves or through their servers, takes effect at once. confirm: an admin approves it first, except texts."`
	Strict        bool     `yaml:"strict" doc:"Refuse rules whose target agent is not registered, and names that look like another agent's."`
	PassThrough   []string `yaml:"passThrough" doc:"Agents whose A2A calls are passed on unchanged instead of becoming tasks; * means all. Agents with rules, agents that rules name, and agents with required inputs are excepted. Callers get each other's tasks of such an agent by their ids."`
	AllowOrigins  []string `yaml:"allowOrigins" doc:"Exact host:port of agents on private addresses; all others must have public addresses."`
	AllowLoopback bool     `yaml:"allowLoopback" doc:"Allow agents on loopback addresses of this machine."`

	MaxExchanges int `yaml:"maxExchanges" doc:"Maximum number of tasks that are with agents at a time, 16 to 1000000; others wait. One agent may have as many as are still free. Also bounds the memory for what agents have made of their tasks: 64 KiB times as much."`

	CredentialsFile string `yaml:"credentialsFile" doc:"YAML file with credentials for calls to agents, each for one origin; it refers to secrets and contains none."`
}

// Push says to which addresses push notifications may be sent. These are not those of agents: dispatchers choose receivers, with path and credentials.
type Push struct {
	AllowOrigins []string `yaml:"allowOrigins" doc:"Exact host:port of receivers of push notifications on private or loopback addresses; all others must have public addresses."`
}

const (
	minExchanges = 16
	maxExchanges = 1_000_000
)

// Validate refuses a policy or a source that cannot be applied.
func (a *Agents) Validate() error {
	if !registry.SignaturePolicy(a.Signatures).Valid() {
		return invalid("signatures", "%q is not off, verify-if-present or require", a.Signatures)
	}
	if !registry.CardChanges(a.CardChanges).Valid() {
		return invalid("cardChanges", "%q is not allow or confirm", a.CardChanges)
	}
	for _, name := range a.PassThrough {
		if name != "*" && !agentcard.ValidName(name) {
			return invalid("passThrough", "%q is no agent's name: %s, or *", name, agentcard.NameRule)
		}
	}
	if a.MaxExchanges < minExchanges || a.MaxExchanges > maxExchanges {
		return invalid("maxExchanges", "%d is not from %d to %d", a.MaxExchanges, minExchanges, maxExchanges)
	}
	if err := checkOrigins(a.AllowOrigins); err != nil {
		return err
	}
	return server.CheckSources(a.sources())
}

// Validate refuses an origin that is none.
func (p *Push) Validate() error { return checkOrigins(p.AllowOrigins) }

func checkOrigins(list []string) error {
	for _, origin := range list {
		if !netguard.IsHostPort(origin) {
			return invalid("allowOrigins", "%q is not host:port", origin)
		}
	}
	return nil
}

func (a *Agents) sources() []discovery.Source {
	return server.Sources(a.CardURLs, a.CardFolder, a.Catalogs)
}
