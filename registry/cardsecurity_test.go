package registry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
)

func TestParseCardReadsWhatAnAgentAsksOfItsCallers(t *testing.T) {
	t.Parallel()
	apiKey := registry.SecurityScheme{Name: "a", Kind: registry.SecurityAPIKey, In: "header", Parameter: "X-Key", Required: true}
	bearer := registry.SecurityScheme{Name: "b", Kind: registry.SecurityHTTP, Scheme: "bearer"}
	for name, test := range map[string]struct {
		card, add string
		want      []registry.SecurityScheme
	}{
		"as v1.0 writes it": {cardV1, `"securitySchemes": {"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
			"a": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}, "c": {"oauth2SecurityScheme": {"flows": {}}}, "d": {"mtlsSecurityScheme": {}}},
			"securityRequirements": [{"schemes": {"a": {"list": []}}}]`, []registry.SecurityScheme{
			apiKey, bearer, {Name: "c", Kind: registry.SecurityOAuth2}, {Name: "d", Kind: registry.SecurityMutualTLS},
		}},
		"as v0.3 writes it": {cardV03, `"securitySchemes": {"b": {"type": "http", "scheme": "bearer"},
			"a": {"type": "apiKey", "in": "header", "name": "X-Key"}}, "security": [{"a": []}]`, []registry.SecurityScheme{apiKey, bearer}},
		"what makes no sense is no mistake": {cardV1, `"securitySchemes": {"a": 1, "b": {"type": "http", "scheme": 7}, "c": {"type": "psychic"}},
			"securityRequirements": "none"`, []registry.SecurityScheme{{Name: "a"}, {Name: "b", Kind: registry.SecurityHTTP}, {Name: "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			card, _, _, err := registry.ParseCard([]byte(strings.Replace(test.card, "{", "{"+test.add+",", 1)))
			if diff := cmp.Diff(test.want, card.Security); err != nil || diff != "" {
				t.Errorf("ParseCard() = %v, Security differs (-want +got):\n%s", err, diff)
			}
		})
	}
}
