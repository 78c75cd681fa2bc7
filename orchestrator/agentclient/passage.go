package agentclient

import (
	"github.com/quorate/quorate/registry/agentcard"
)

// A passage passes requests on to an agent, and its answers back, unchanged. There is one kind for each binding.

// HasPassage reports whether there is a passage to the agent with this card.
func HasPassage(card *agentcard.Card) bool {
	return interfaceFor(card, agentcard.BindingGRPC) != nil || interfaceFor(card, agentcard.BindingJSONRPC) != nil
}

// interfaceFor returns a card's interface for A2A 1 over a binding, or nil.
func interfaceFor(card *agentcard.Card, binding string) *agentcard.Interface {
	for i := range card.Interfaces {
		if in := &card.Interfaces[i]; in.Binding == binding && !isLegacy(in) && speaks(*in) {
			return in
		}
	}
	return nil
}
