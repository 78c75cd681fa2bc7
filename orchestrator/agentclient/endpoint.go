package agentclient

import (
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/registry/agentcard"
)

// endpoint describes one interface of an agent for error messages.
type endpoint struct {
	name        string // agent and URL
	url         string // as the card has it
	credentials *agentauth.Credentials
	security    []agentcard.SecurityScheme // what the card demands of callers
}

// endpoint returns an interface of the agent with the card.
func (p *Pool) endpoint(agent string, in *agentcard.Interface, card *agentcard.Card) endpoint {
	return endpoint{name: `agent "` + agent + `" at ` + in.URL, url: in.URL, credentials: p.credentials, security: card.Security}
}

// redact removes credentials from what the agent answered.
func (e *endpoint) redact(text string) string {
	return e.credentials.For(address(e.url)).Redact(text)
}

// advice says which credential an agent rejected, and what an operator can do about it.
func (e *endpoint) advice() string {
	return e.credentials.Advice(address(e.url), e.security)
}
