package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"

	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/platform/rpcserver"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

var _ registryv1.RegistryServiceServer = (*Server)(nil)

// Server implements RegistryService.
type Server struct {
	registryv1.UnimplementedRegistryServiceServer
	registry *registry.Registry
	pages    *page.Codec
}

// New returns a server over r. pages encodes its page tokens.
func New(r *registry.Registry, pages *page.Codec) *Server {
	return &Server{registry: r, pages: pages}
}

// RegisterAgent registers an agent; an agent may register itself only.
func (s *Server) RegisterAgent(ctx context.Context, req *registryv1.RegisterAgentRequest) (*registryv1.RegisterAgentResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	in, err := registration(&p, req)
	if err != nil {
		return nil, err
	}
	in.Version = req.GetVersion()
	agent, warnings, err := s.registry.Register(ctx, p.Tenant, in)
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.RegisterAgentResponse{Agent: out, Warnings: warningsToProto(warnings)}, nil
}

// registration returns what a request to register or apply an agent says of it.
func registration(p *auth.Principal, req interface {
	GetCard() *structpb.Struct
	GetCardJson() string
	GetCardUri() string
	GetMetadata() *registryv1.AgentMetadata
	GetName() string
	GetRequestId() string
	GetValidateOnly() bool
},
) (registry.Registration, error) {
	in := registry.Registration{
		RawCard: []byte(req.GetCardJson()), CardURI: req.GetCardUri(), Name: req.GetName(), RequestID: req.GetRequestId(), Caller: p.Name,
		ValidateOnly: req.GetValidateOnly(),
	}
	if !p.Is(auth.RoleAdmin) {
		in.OnlyName = p.Name
	}
	if req.GetMetadata() != nil {
		m := metadataFromProto(req.GetMetadata())
		in.Metadata = &m
	}
	if req.GetCard() == nil {
		return in, nil
	}
	var err error
	in.RawCard, err = encodeCard(req.GetCard())
	return in, err
}

// encodeCard returns an inline card as JSON with sorted keys, so that the same card always has the same bytes.
func encodeCard(card *structpb.Struct) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(card.AsMap()); err != nil {
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "the card is not valid JSON: %s", err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// GetAgent returns one agent.
func (s *Server) GetAgent(ctx context.Context, req *registryv1.GetAgentRequest) (*registryv1.Agent, error) {
	agent, err := s.agent(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return agentToProto(&agent)
}

// GetAgentCard returns the card's bytes as registered.
func (s *Server) GetAgentCard(ctx context.Context, req *registryv1.GetAgentCardRequest) (*httpbody.HttpBody, error) {
	agent, err := s.agent(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return &httpbody.HttpBody{ContentType: "application/json", Data: agent.RawCard}, nil
}

// GetAgentMetadata returns the agent's metadata. Its etag is the agent's, on which an update may depend.
func (s *Server) GetAgentMetadata(ctx context.Context, req *registryv1.GetAgentMetadataRequest) (*registryv1.AgentMetadata, error) {
	agent, err := s.agent(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	metadata, err := metadataToProto(&agent.Metadata)
	if err != nil {
		return nil, err
	}
	metadata.AgentName, metadata.Version = agent.Name, agent.Card.Version
	metadata.CreatedAt, metadata.UpdatedAt = timeToProto(agent.CreateTime), timeToProto(agent.UpdateTime)
	rpcserver.SetETag(ctx, agent.Etag)
	return metadata, nil
}

// GetAgentStatus returns the agent's status.
func (s *Server) GetAgentStatus(ctx context.Context, req *registryv1.GetAgentStatusRequest) (*registryv1.AgentStatus, error) {
	agent, err := s.agent(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return statusToProto(agent.Name, &agent.Status), nil
}

// DeleteAgent removes an agent.
func (s *Server) DeleteAgent(ctx context.Context, req *registryv1.DeleteAgentRequest) (*emptypb.Empty, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	once := s.once(p, req.GetRequestId())
	if err := once.Delete(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag())); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

// UpdateAgentMetadata replaces fields of an agent's metadata. An agent may update its own schemas; only an admin can change its rules, which an agent
// may send back as it read them.
func (s *Server) UpdateAgentMetadata(
	ctx context.Context, req *registryv1.UpdateAgentMetadataRequest,
) (*registryv1.UpdateAgentMetadataResponse, error) {
	p, err := callerFor(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	mask, metadata := maskPaths(req.GetUpdateMask()), metadataFromProto(req.GetMetadata())
	if !p.Is(auth.RoleAdmin) {
		if mask, err = s.ownMask(ctx, p, mask, &metadata); err != nil {
			return nil, err
		}
	}
	w := s.writer(p, req)
	agent, warnings, err := w.UpdateMetadata(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag()), mask, metadata)
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.UpdateAgentMetadataResponse{Agent: out, Warnings: warningsToProto(warnings)}, nil
}

// Heartbeat renews an agent's lease. An agent may send heartbeats for itself only.
func (s *Server) Heartbeat(ctx context.Context, req *registryv1.HeartbeatRequest) (*registryv1.HeartbeatResponse, error) {
	p, err := callerFor(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	lease, err := s.registry.Heartbeat(ctx, p.Tenant, registry.Beat{
		Agent: req.GetName(), Epoch: req.GetEpoch(), Status: req.GetStatus(),
		CurrentTaskID: req.GetCurrentTaskId(), ErrorMessage: req.GetErrorMessage(),
		Capacity: int(req.GetCapacity()), InFlight: int(req.GetInFlight()),
	})
	if err != nil {
		return nil, err
	}
	return &registryv1.HeartbeatResponse{
		Epoch: lease.Epoch, NextHeartbeat: durationpb.New(lease.NextHeartbeat), LeaseExpireTime: timeToProto(lease.ExpireTime),
		Draining: lease.Draining,
	}, nil
}

// IssueAgentToken makes a new token for the agent and revokes the one before.
func (s *Server) IssueAgentToken(ctx context.Context, req *registryv1.IssueAgentTokenRequest) (*registryv1.IssueAgentTokenResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	token := auth.NewToken(tokenKind)
	once := s.once(p, req.GetRequestId())
	if err := once.SetTokenHash(ctx, p.Tenant, req.GetName(), sha256.Sum256([]byte(token.Reveal()))); err != nil {
		return nil, err
	}
	return &registryv1.IssueAgentTokenResponse{Token: token.Reveal()}, nil
}

// agent returns one agent of the caller's tenant.
func (s *Server) agent(ctx context.Context, name string) (registry.Agent, error) {
	p, err := caller(ctx)
	if err != nil {
		return registry.Agent{}, err
	}
	return s.registry.Agent(ctx, p.Tenant, name)
}

// once returns a writer for a request of the caller that may be repeated.
func (s *Server) once(p auth.Principal, requestID string) registry.Writer {
	return s.registry.Once(registry.Retry{Caller: p.Name, RequestID: requestID})
}

// writer returns a writer for a request of the caller, whose changes may have to wait for an admin if it is none.
func (s *Server) writer(p auth.Principal, req interface {
	GetRequestId() string
	GetValidateOnly() bool
},
) registry.Writer {
	w := s.once(p, req.GetRequestId())
	if !p.Is(auth.RoleAdmin) {
		w = w.ByAgent()
	}
	if req.GetValidateOnly() {
		w = w.DryRun()
	}
	return w
}

func caller(ctx context.Context) (auth.Principal, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	return p, nil
}

// callerFor returns the caller, and an error if it is an agent that acts on another agent.
func callerFor(ctx context.Context, agent string) (auth.Principal, error) {
	p, err := caller(ctx)
	if err != nil {
		return auth.Principal{}, err
	}
	if !p.Is(auth.RoleAdmin) && p.Name != agent {
		return auth.Principal{}, registry.NotYours(p.Name, agent)
	}
	return p, nil
}

// etag returns the etag that a write must match: that in the request or else in its If-Match header.
func etag(ctx context.Context, requested string) string {
	if requested != "" {
		return requested
	}
	return rpcserver.IfMatch(ctx)
}
