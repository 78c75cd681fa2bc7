package agentclient

import (
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/registry"
)

// endpoint describes one interface of an agent for error messages.
type endpoint struct {
	name        string // agent and URL
	url         string // as the card has it
	credentials *agentauth.Credentials
	security    []registry.SecurityScheme // what the card demands of callers
}

// redact removes credentials from what the agent answered.
func (d *endpoint) redact(text string) string {
	return d.credentials.For(address(d.url)).Redact(text)
}

// advice says which credential an agent rejected, and what an operator can do about it.
func (d *endpoint) advice() string {
	return d.credentials.Advice(address(d.url), d.security)
}
