package a2aedge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/consultation"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// CardPath is the path of a card below a base URL (A2A §8.2).
const CardPath = "/.well-known/agent-card.json"

// bearerScheme is the name of our one security scheme.
const bearerScheme = "bearer"

// Agents is the part of the registry that cards need.
type Agents interface {
	// Agent returns an agent. One that does not exist is a NotFound fault.
	Agent(ctx context.Context, tenant, name string) (registry.Agent, error)
}

// ServeCard serves Quorate's own card. It is public.
func (h *Handler) ServeCard(w http.ResponseWriter, r *http.Request) {
	card := h.card(r, Path, "")
	card.Name = "quorate"
	card.Description = "Sends each message to the right agent and follows it durably; a task passes a phase only when those were consulted that had to be."
	card.Version = "1.0.0"
	card.DefaultInputModes, card.DefaultOutputModes = []string{"text/plain", jsonMIME}, []string{"text/plain", jsonMIME}
	card.Skills = []*a2apb.AgentSkill{{
		Id: "dispatch", Name: "Dispatch a task", Tags: []string{"routing", "orchestration"},
		Description: "Takes a message for a registered agent, named as the tenant or by a route in the message's metadata.",
	}}
	writeCard(w, r, card, h.Started, "public, max-age=300")
}

// ServeAgentCard serves the card of the agent in the path value name, with the interfaces by which it is reached through Quorate, to authenticated
// callers of its tenant.
func (h *Handler) ServeAgentCard(w http.ResponseWriter, r *http.Request) {
	p, err := taskrpc.Caller(r.Context())
	if err != nil {
		refuseREST(w, err)
		return
	}
	name := r.PathValue("name")
	agent, err := h.Agents.Agent(r.Context(), p.Tenant, name)
	if err != nil {
		refuseREST(w, err)
		return
	}
	card := h.card(r, AgentsPath+name, name)
	card.Name, card.Description, card.Version = agent.Name, agent.Card.Description, agent.Card.Version
	card.DefaultInputModes, card.DefaultOutputModes = agent.Card.DefaultInputModes, agent.Card.DefaultOutputModes
	for _, s := range agent.Card.Skills {
		card.Skills = append(card.Skills, &a2apb.AgentSkill{
			Id: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, Examples: s.Examples, InputModes: s.InputModes, OutputModes: s.OutputModes,
		})
	}
	addOrigin(card, agent.RawCard)
	card.Capabilities.Extensions = append(card.GetCapabilities().GetExtensions(), extensionsOf(&agent.Card)...)
	if h.Service.callsPass(&agent) {
		card.Capabilities.Streaming, card.Capabilities.PushNotifications = new(agent.Card.Streaming), new(agent.Card.PushNotifications)
	}
	w.Header().Add("Vary", "Authorization")
	writeCard(w, r, card, agent.UpdateTime, "private, max-age=60")
}

// addOrigin adds what the agent's own card, of either version, says about where the agent comes from.
func addOrigin(card *a2apb.AgentCard, own []byte) {
	var said struct {
		Provider struct {
			Organization string `json:"organization"`
			URL          string `json:"url"`
		} `json:"provider"`
		DocumentationURL *string `json:"documentationUrl"`
		IconURL          *string `json:"iconUrl"`
	}
	_ = json.Unmarshal(own, &said) // what has a wrong type is left out
	card.DocumentationUrl, card.IconUrl = said.DocumentationURL, said.IconURL
	if p := said.Provider; p.Organization != "" {
		card.Provider = &a2apb.AgentProvider{Organization: p.Organization, Url: p.URL}
	}
}

// card returns what all cards have in common: our interfaces, capabilities and security schemes. It leaves securityRequirements out: a2a-go's client
// (2.4) cannot read a card that has them in the form of the specification.
func (h *Handler) card(r *http.Request, path, tenant string) *a2apb.AgentCard {
	url, grpcAddress := h.addresses(r)
	return &a2apb.AgentCard{
		SupportedInterfaces: []*a2apb.AgentInterface{
			{Url: grpcAddress, ProtocolBinding: agentcard.BindingGRPC, Tenant: tenant, ProtocolVersion: Version},
			{Url: url + path, ProtocolBinding: agentcard.BindingJSONRPC, ProtocolVersion: Version},
			{Url: url + path, ProtocolBinding: agentcard.BindingHTTPJSON, ProtocolVersion: Version},
		},
		Capabilities: &a2apb.AgentCapabilities{
			Streaming: new(true), PushNotifications: new(true), ExtendedAgentCard: new(false),
			Extensions: []*a2apb.AgentExtension{
				{Uri: TaskExtension, Description: "Quorate's side of a task: route, attributes, agent, phase, gates and event numbers."},
				{Uri: consultation.ExtensionURI, Description: "Agents that must be consulted before a task passes a phase."},
			},
		},
		SecuritySchemes: map[string]*a2apb.SecurityScheme{bearerScheme: {Scheme: &a2apb.SecurityScheme_HttpAuthSecurityScheme{
			HttpAuthSecurityScheme: &a2apb.HTTPAuthSecurityScheme{Scheme: "Bearer"},
		}}},
	}
}

// addresses returns our URL and gRPC address: as configured, or as this request used them. The server has checked that the host is ours.
func (h *Handler) addresses(r *http.Request) (url, grpcAddress string) {
	if url = h.URL; url == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		url = scheme + r.Host
	}
	if grpcAddress = h.GRPCAddress; grpcAddress == "" {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]") // it has no port
		}
		grpcAddress = net.JoinHostPort(host, h.GRPCPort)
	}
	return url, grpcAddress
}

// writeCard answers with a card, or with 304 to a client that has it already (A2A §8.6).
func writeCard(w http.ResponseWriter, r *http.Request, card *a2apb.AgentCard, changed time.Time, caching string) {
	encode := encodeCard
	if wantsLegacyCard(r) {
		encode = encodeLegacyCard
	}
	body, err := encode(card)
	if err != nil {
		refuseREST(w, fmt.Errorf("encode the card: %w", err))
		return
	}
	sum := sha256.Sum256(body)
	w.Header().Set("Content-Type", jsonMIME)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", caching)
	w.Header().Add("Vary", "A2A-Version")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

// encodeCard encodes a card so that equal cards give equal bytes: protojson varies its spaces, which would change the ETag.
func encodeCard(card *a2apb.AgentCard) ([]byte, error) {
	raw, err := protojson.Marshal(card)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err = json.Compact(&body, raw)
	return body.Bytes(), err
}
