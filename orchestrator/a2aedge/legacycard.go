package a2aedge

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/registry/agentcard"
)

// LegacyCardPath is where clients of A2A 0.3 look for cards. A card at CardPath has fields of 0.3 only for clients that name version 0.3: cards of 1.0
// are validated with schemas that allow no other fields.
const LegacyCardPath = "/.well-known/agent.json"

func wantsLegacyCard(r *http.Request) bool {
	version := versionOf(r)
	return strings.HasSuffix(r.URL.Path, LegacyCardPath) || version != "" && isLegacy(version)
}

// legacyFields are the fields that clients of A2A 0.3 look for in a card, as far as they differ from those of 1.0, and the security schemes in the
// terms of both versions.
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

// encodeLegacyCard encodes a card for clients of both versions. It offers no push notifications, whose receivers cannot be set in 0.3.
func encodeLegacyCard(card *a2apb.AgentCard) ([]byte, error) {
	card = proto.CloneOf(card)
	card.SecuritySchemes = nil
	card.GetCapabilities().PushNotifications = new(false)
	modern, err := encodeCard(card)
	if err != nil {
		return nil, err
	}
	old := legacyFields{
		PreferredTransport: agentcard.BindingJSONRPC, ProtocolVersion: LegacyVersion + ".0",
		SecuritySchemes: map[string]securityScheme{bearerScheme: {json.RawMessage(`{"scheme":"Bearer"}`), "http", "Bearer"}},
		Security:        []map[string]json.RawMessage{{bearerScheme: json.RawMessage("[]")}},
	}
	for _, i := range card.GetSupportedInterfaces() {
		if i.GetProtocolBinding() == agentcard.BindingJSONRPC {
			old.URL = i.GetUrl()
		}
	}
	more, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	return slices.Concat(modern[:len(modern)-1], []byte(","), more[1:]), nil
}
