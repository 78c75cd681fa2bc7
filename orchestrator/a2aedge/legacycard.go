package a2aedge

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/registry"
)

// LegacyCardPath is where clients of A2A before 1.0 look for a card too. The one at CardPath is without their fields, as long as they do not name their
// version: cards of 1.0 are validated with schemas that allow no others.
const LegacyCardPath = "/.well-known/agent.json"

func wantsLegacyCard(r *http.Request) bool {
	version := versionOf(r)
	return strings.HasSuffix(r.URL.Path, LegacyCardPath) || version != "" && isLegacy(version)
}

// legacyFields are what clients of A2A 0.3 look for in a card, whose other fields are alike in both versions, and what is asked for, in the words of both.
type legacyFields struct {
	URL                string                       `json:"url"`
	PreferredTransport string                       `json:"preferredTransport"`
	ProtocolVersion    string                       `json:"protocolVersion"`
	SecuritySchemes    map[string]securityScheme    `json:"securitySchemes"`
	Security           []map[string]json.RawMessage `json:"security"`
}

type securityScheme struct {
	Modern json.RawMessage `json:"httpAuthSecurityScheme"`
	Type   string          `json:"type"`
	Scheme string          `json:"scheme"`
}

// encodeLegacyCard writes a card for clients of both versions. It promises no push notifications, whose receivers cannot be named in 0.3.
func encodeLegacyCard(card *a2apb.AgentCard) ([]byte, error) {
	card = proto.CloneOf(card)
	card.SecuritySchemes = nil
	card.GetCapabilities().PushNotifications = new(false)
	modern, err := encodeCard(card)
	if err != nil {
		return nil, err
	}
	old := legacyFields{
		PreferredTransport: registry.BindingJSONRPC, ProtocolVersion: LegacyVersion + ".0",
		SecuritySchemes: map[string]securityScheme{bearerScheme: {json.RawMessage(`{"scheme":"Bearer"}`), "http", "Bearer"}},
		Security:        []map[string]json.RawMessage{{bearerScheme: json.RawMessage("[]")}},
	}
	for _, i := range card.GetSupportedInterfaces() {
		if i.GetProtocolBinding() == registry.BindingJSONRPC {
			old.URL = i.GetUrl()
		}
	}
	more, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	return slices.Concat(modern[:len(modern)-1], []byte(","), more[1:]), nil
}
