package agentcard

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Kinds of security schemes (A2A §4.5).
const (
	SecurityAPIKey        = "apiKey"
	SecurityHTTP          = "http"
	SecurityOAuth2        = "oauth2"
	SecurityOpenIDConnect = "openIdConnect"
	SecurityMutualTLS     = "mutualTLS"
)

const maxSecuritySchemes = 32

// SecurityScheme is one way in which callers of an agent can authenticate.
type SecurityScheme struct {
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"`      // one of the constants above; empty for another
	In        string `json:"in,omitempty"`        // for an API key: header, query or cookie
	Parameter string `json:"parameter,omitempty"` // for an API key: the name of the header, say
	Scheme    string `json:"scheme,omitempty"`    // for HTTP, in lower case: bearer, basic or another
	Required  bool   `json:"required,omitempty"`  // the card requires it, perhaps together with others
}

// securitySchemes reads at most maxSecuritySchemes schemes of a v1.0 or v0.3 card. A malformed scheme keeps its name only: schemes are just shown to
// people, and a wrong one does not keep an agent from working.
func securitySchemes(root, schemes map[string]any, names []string) []SecurityScheme {
	required := requiredSchemes(root)
	var list []SecurityScheme
	for _, name := range names[:min(len(names), maxSecuritySchemes)] {
		s := securityScheme(schemes[name])
		s.Name, s.Required = name, required[name]
		list = append(list, s)
	}
	return list
}

// visibleSchemes checks what people see of a card's security schemes.
func (r *reader) visibleSchemes(card *Card) {
	at := func(name string) string { return fmt.Sprintf("card.securitySchemes[%q]", fault.Clip(name)) }
	for _, name := range card.SecuritySchemes {
		r.visible(at(name), name)
	}
	for _, s := range card.Security {
		r.visible(at(s.Name), s.Scheme+s.In+s.Parameter)
	}
}

func securityScheme(value any) SecurityScheme {
	object, _ := value.(map[string]any)
	for _, v1 := range []struct{ key, kind string }{ // a field for each kind
		{"apiKeySecurityScheme", SecurityAPIKey},
		{"httpAuthSecurityScheme", SecurityHTTP},
		{"oauth2SecurityScheme", SecurityOAuth2},
		{"openIdConnectSecurityScheme", SecurityOpenIDConnect},
		{"mtlsSecurityScheme", SecurityMutualTLS},
	} {
		if inner, ok := object[v1.key].(map[string]any); ok {
			return schemeOf(v1.kind, inner, "location")
		}
	}
	kind, _ := object["type"].(string) // v0.3: as OpenAPI has it
	return schemeOf(kind, object, "in")
}

func schemeOf(kind string, object map[string]any, in string) SecurityScheme {
	text := func(key string) string {
		s, _ := object[key].(string)
		return fault.Clip(s)
	}
	switch kind {
	case SecurityAPIKey:
		return SecurityScheme{Kind: kind, In: strings.ToLower(text(in)), Parameter: text("name")}
	case SecurityHTTP:
		return SecurityScheme{Kind: kind, Scheme: strings.ToLower(text("scheme"))}
	case SecurityOAuth2, SecurityOpenIDConnect, SecurityMutualTLS:
		return SecurityScheme{Kind: kind}
	default:
		return SecurityScheme{}
	}
}

// requiredSchemes are the names in securityRequirements (v1.0) or security (v0.3).
func requiredSchemes(root map[string]any) map[string]bool {
	names := make(map[string]bool)
	for _, key := range []string{"securityRequirements", "security"} {
		list, _ := root[key].([]any)
		for _, entry := range list {
			requirement, _ := entry.(map[string]any)
			if schemes, ok := requirement["schemes"].(map[string]any); ok {
				requirement = schemes
			}
			for name := range requirement {
				names[name] = true
			}
		}
	}
	return names
}
