package agentcard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry/agentcard"
)

func TestParseReadsWhatAnAgentAsksOfItsCallers(t *testing.T) {
	t.Parallel()
	apiKey := agentcard.SecurityScheme{Name: "a", Kind: agentcard.SecurityAPIKey, In: "header", Parameter: "X-Key", Required: true}
	bearer := agentcard.SecurityScheme{Name: "b", Kind: agentcard.SecurityHTTP, Scheme: "bearer"}
	for name, test := range map[string]struct {
		card, add string
		want      []agentcard.SecurityScheme
	}{
		"as v1.0 writes it": {cardV1, `"securitySchemes": {"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
			"a": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}, "c": {"oauth2SecurityScheme": {"flows": {}}}, "d": {"mtlsSecurityScheme": {}}},
			"securityRequirements": [{"schemes": {"a": {"list": []}}}]`, []agentcard.SecurityScheme{
			apiKey, bearer, {Name: "c", Kind: agentcard.SecurityOAuth2}, {Name: "d", Kind: agentcard.SecurityMutualTLS},
		}},
		"as v0.3 writes it": {cardV03, `"securitySchemes": {"b": {"type": "http", "scheme": "bearer"},
			"a": {"type": "apiKey", "in": "header", "name": "X-Key"}}, "security": [{"a": []}]`, []agentcard.SecurityScheme{apiKey, bearer}},
		"what makes no sense is no mistake": {cardV1, `"securitySchemes": {"a": 1, "b": {"type": "http", "scheme": 7}, "c": {"type": "psychic"}},
			"securityRequirements": "none"`, []agentcard.SecurityScheme{{Name: "a"}, {Name: "b", Kind: agentcard.SecurityHTTP}, {Name: "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			card, _, _, err := agentcard.Parse([]byte(strings.Replace(test.card, "{", "{"+test.add+",", 1)))
			if diff := cmp.Diff(test.want, card.Security); err != nil || diff != "" {
				t.Errorf("Parse() = %v, Security differs (-want +got):\n%s", err, diff)
			}
		})
	}
}
