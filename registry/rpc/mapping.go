package rpc

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// CreateSemanticMapping adds a mapping.
func (s *Server) CreateSemanticMapping(ctx context.Context, req *registryv1.CreateSemanticMappingRequest) (*registryv1.SemanticMapping, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	in := req.GetSemanticMapping()
	mapping := registry.Mapping{From: in.GetFromType(), To: in.GetToType(), Description: in.GetDescription()}
	return mappingAnswer(s.registry.CreateMapping(ctx, p.Tenant, mapping, registry.Retry{Caller: p.Name, RequestID: req.GetRequestId()}))
}

// GetSemanticMapping returns one mapping.
func (s *Server) GetSemanticMapping(ctx context.Context, req *registryv1.GetSemanticMappingRequest) (*registryv1.SemanticMapping, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return mappingAnswer(s.registry.Mapping(ctx, p.Tenant, req.GetName()))
}

// ListSemanticMappings lists the mappings of the caller's tenant, in order of name.
func (s *Server) ListSemanticMappings(ctx context.Context, req *registryv1.ListSemanticMappingsRequest) (*registryv1.ListSemanticMappingsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.registry.Mappings(ctx, p.Tenant)
	if err != nil {
		return nil, err
	}
	name, size := func(m *registry.Mapping) string { return m.Name() }, func(m *registry.Mapping) int { return len(m.Description) }
	list, next, err := window(s, scope(p, "ListSemanticMappings"), req, list, name, size)
	if err != nil {
		return nil, err
	}
	out := &registryv1.ListSemanticMappingsResponse{NextPageToken: next}
	for i := range list {
		out.SemanticMappings = append(out.SemanticMappings, mappingToProto(&list[i]))
	}
	return out, nil
}

// UpdateSemanticMapping changes a mapping's description.
func (s *Server) UpdateSemanticMapping(ctx context.Context, req *registryv1.UpdateSemanticMappingRequest) (*registryv1.SemanticMapping, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkMappingMask(req); err != nil {
		return nil, err
	}
	in := req.GetSemanticMapping()
	return mappingAnswer(s.registry.UpdateMapping(ctx, p.Tenant, req.GetName(), etag(ctx, in.GetEtag()), in.GetDescription(),
		registry.Retry{Caller: p.Name, RequestID: req.GetRequestId()}))
}

// checkMappingMask refuses a mask that names anything but the description. What the server sets is ignored, and so are the name and the types if they
// are those of the mapping: REST makes the mask of whatever fields the body has, and a client may send back what it has read. Without a mask, or with *,
// the name and the types that are set are named.
func checkMappingMask(req *registryv1.UpdateSemanticMappingRequest) error {
	in, paths := req.GetSemanticMapping(), maskPaths(req.GetUpdateMask())
	from, to, _ := strings.Cut(req.GetName(), "-")
	named := slices.Clone(paths)
	if len(paths) == 0 || slices.Contains(paths, "*") {
		for path, value := range map[string]string{"name": in.GetName(), "from_type": in.GetFromType(), "to_type": in.GetToType()} {
			if value != "" {
				named = append(named, path)
			}
		}
		slices.Sort(named)
	}
	for _, path := range named {
		switch {
		case path == "description", path == "*", path == "", path == "etag", path == "create_time", path == "update_time":
		case path == "name" && in.GetName() == req.GetName(), path == "from_type" && in.GetFromType() == from, path == "to_type" && in.GetToType() == to:
		default:
			return fault.Invalid("update_mask", "MASK_INVALID", "%q cannot be updated; description can", fault.Clip(path))
		}
	}
	if len(paths) > 0 && !slices.Contains(paths, "description") && !slices.Contains(paths, "*") {
		return fault.Invalid("update_mask", "MASK_INVALID", "nothing is named that should change; description can")
	}
	return nil
}

// DeleteSemanticMapping removes a mapping.
func (s *Server) DeleteSemanticMapping(ctx context.Context, req *registryv1.DeleteSemanticMappingRequest) (*emptypb.Empty, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	retry := registry.Retry{Caller: p.Name, RequestID: req.GetRequestId()}
	if err := s.registry.DeleteMapping(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag()), retry); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

func mappingAnswer(m registry.Mapping, err error) (*registryv1.SemanticMapping, error) {
	if err != nil {
		return nil, err
	}
	return mappingToProto(&m), nil
}

func mappingToProto(m *registry.Mapping) *registryv1.SemanticMapping {
	return &registryv1.SemanticMapping{
		Name: m.Name(), FromType: m.From, ToType: m.To, Description: m.Description, Etag: m.Etag,
		CreateTime: timeToProto(m.CreateTime), UpdateTime: timeToProto(m.UpdateTime),
	}
}
