package rpc

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

const maxAgentName = 64 // bytes

// PinSigningKey trusts a key to sign cards.
func (s *Server) PinSigningKey(ctx context.Context, req *registryv1.PinSigningKeyRequest) (*registryv1.SigningKey, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	jwk, err := protojson.Marshal(req.GetJwk())
	if err != nil {
		return nil, fault.Invalid("jwk", "KEY_INVALID", "the key is not JSON")
	}
	once := s.once(p, req.GetRequestId())
	key, err := once.PinSigningKey(ctx, p.Tenant, jwk, req.GetAgents())
	if err != nil {
		return nil, err
	}
	return keyToProto(&key)
}

// ListSigningKeys lists the keys that admins have pinned, in order of id.
func (s *Server) ListSigningKeys(ctx context.Context, req *registryv1.ListSigningKeysRequest) (*registryv1.ListSigningKeysResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.registry.SigningKeys(ctx, p.Tenant)
	if err != nil {
		return nil, err
	}
	id, size := func(k *registry.SigningKey) string { return k.ID }, func(k *registry.SigningKey) int { return len(k.JWK) + len(k.Agents)*maxAgentName }
	keys, next, err := window(s, scope(p, "ListSigningKeys"), req, keys, id, size)
	if err != nil {
		return nil, err
	}
	out := &registryv1.ListSigningKeysResponse{NextPageToken: next}
	for i := range keys {
		key, err := keyToProto(&keys[i])
		if err != nil {
			return nil, err
		}
		out.SigningKeys = append(out.SigningKeys, key)
	}
	return out, nil
}

// DeleteSigningKey ends the trust in a key.
func (s *Server) DeleteSigningKey(ctx context.Context, req *registryv1.DeleteSigningKeyRequest) (*emptypb.Empty, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	once := s.once(p, req.GetRequestId())
	if err := once.DeleteSigningKey(ctx, p.Tenant, req.GetKeyId()); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

func keyToProto(k *registry.SigningKey) (*registryv1.SigningKey, error) {
	jwk := &structpb.Struct{}
	if err := protojson.Unmarshal(k.JWK, jwk); err != nil {
		return nil, fmt.Errorf("decoding the key %q: %w", k.ID, err)
	}
	return &registryv1.SigningKey{
		KeyId: k.ID, Jwk: jwk, Agents: k.Agents, Thumbprint: k.Thumbprint, CreateTime: timeToProto(k.CreateTime),
	}, nil
}
