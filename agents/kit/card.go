package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/protobuf/encoding/protojson"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// A2A extensions that Quorate understands.
const (
	ContractExtension     = "https://github.com/quorate/quorate/extensions/contract/v1"
	ConsultationExtension = "https://github.com/quorate/quorate/extensions/consultation/v1"
)

const (
	wellKnownCard = a2asrv.WellKnownAgentCardPath
	restPath      = "/rest"
	cardMaxAge    = "public, max-age=60"
)

// newCard returns the agent's card. gRPC is first because it is the cheapest to call. It is offered only where callers can reach it: the
// specification demands host:port, which can express neither TLS nor a path.
func newCard(c Config, public *url.URL) (*a2a.AgentCard, error) {
	base := public.String()
	card := &a2a.AgentCard{
		Name:        c.Name,
		Description: c.Description,
		Version:     c.Version,
		Capabilities: a2a.AgentCapabilities{
			Streaming: true,
			Extensions: []a2a.AgentExtension{{
				URI:         ConsultationExtension,
				Description: "Takes part in consultations; the same message sent again is not worked on twice.",
				Params:      map[string]any{"deduplicates": true},
			}},
		},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills:             []a2a.AgentSkill{},
	}
	if c.Callers != nil {
		card.SecuritySchemes = bearerScheme
	}
	if public.Scheme == "http" && public.Path == "" {
		card.SupportedInterfaces = append(card.SupportedInterfaces, a2a.NewAgentInterface(grpcTarget(public), a2a.TransportProtocolGRPC))
	}
	card.SupportedInterfaces = append(card.SupportedInterfaces,
		a2a.NewAgentInterface(base+"/", a2a.TransportProtocolJSONRPC),
		a2a.NewAgentInterface(base+restPath, a2a.TransportProtocolHTTPJSON))
	for _, s := range c.Skills {
		tags := s.Tags
		if tags == nil {
			tags = []string{} // the specification requires the field
		}
		card.Skills = append(card.Skills, a2a.AgentSkill{ID: s.ID, Name: s.Name, Description: s.Description, Tags: tags, Examples: s.Examples})
	}
	if c.Metadata != nil {
		params, err := contractParams(c.Metadata)
		if err != nil {
			return nil, fmt.Errorf("encoding the metadata of %s: %w", c.Name, err)
		}
		card.Capabilities.Extensions = append(card.Capabilities.Extensions, a2a.AgentExtension{
			URI: ContractExtension, Description: "Typed inputs and outputs and consultation rules.", Params: params,
		})
	}
	return card, nil
}

func grpcTarget(public *url.URL) string {
	if public.Port() == "" {
		return public.Host + ":80"
	}
	return public.Host
}

func contractParams(m *registryv1.AgentMetadata) (map[string]any, error) {
	raw, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var params map[string]any
	err = json.Unmarshal(raw, &params)
	return params, err
}

// serveCard answers with validators, so that clients that poll get 304 Not Modified.
func (a *Agent) serveCard(card []byte) http.HandlerFunc {
	sum := sha256.Sum256(card)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", cardMaxAge)
		header.Set("ETag", tag)
		http.ServeContent(w, r, "", a.made, bytes.NewReader(card))
	}
}
