package agentclient

import (
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/registry"
)

// door is one interface of an agent, as errors speak of it.
type door struct {
	name        string // agent and URL
	url         string // as the card has it
	credentials *agentauth.Credentials
	security    []registry.SecurityScheme // what the card asks of callers
}

// redact takes what the agent was shown out of what it answered.
func (d *door) redact(text string) string {
	return d.credentials.For(address(d.url)).Redact(text)
}

// advice says, of an agent that did not let Quorate in, what it was shown and what an operator can do.
func (d *door) advice() string {
	return d.credentials.Advice(address(d.url), d.security)
}
