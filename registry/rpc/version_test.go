package rpc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry/jws"
	"github.com/quorate/quorate/registry/rpc"
)

func TestVersionsOverRPC(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	first := register(ctx, t, s, card(t, "a", "s"))
	if first.GetLiveVersion() != 1 || first.GetSource().GetType() != "api" || !first.GetSource().GetPresent() || first.GetVerification().GetState() != "unsigned" {
		t.Errorf("RegisterAgent() = %v, want version 1 from api, unsigned", first)
	}
	list, err := s.ListAgentVersions(ctx, &registryv1.ListAgentVersionsRequest{Name: "a"})
	if err != nil || len(list.GetVersions()) != 1 || !list.GetVersions()[0].GetLive() || list.GetVersions()[0].GetCard() != nil || list.GetNextPageToken() != "" {
		t.Fatalf("ListAgentVersions() = %v, %v, want one that is live, without its card", list, err)
	}
	page, err := s.ListAgentVersions(ctx, &registryv1.ListAgentVersionsRequest{Name: "a", PageSize: 1})
	if err != nil || page.GetNextPageToken() == "" {
		t.Fatalf("ListAgentVersions(1) = %v, %v, want a next page", page, err)
	}
	last, err := s.ListAgentVersions(ctx, &registryv1.ListAgentVersionsRequest{Name: "a", PageSize: 1, PageToken: page.GetNextPageToken()})
	if err != nil || len(last.GetVersions()) != 0 {
		t.Errorf("ListAgentVersions(next) = %v, %v, want none", last, err)
	}
}

func TestAVersionIsReadAndMadeLive(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	first := register(ctx, t, s, card(t, "a", "s"))
	v, err := s.GetAgentVersion(ctx, &registryv1.GetAgentVersionRequest{Name: "a", Version: 1})
	if err != nil || v.GetCard().GetFields()["name"].GetStringValue() != "a" || v.GetHash() == "" {
		t.Errorf("GetAgentVersion(1) = %v, %v, want the card", v, err)
	}
	set, err := s.SetLiveVersion(ctx, &registryv1.SetLiveVersionRequest{Name: "a", Version: 1, Etag: first.GetEtag()})
	if err != nil || set.GetAgent().GetLiveVersion() != 1 {
		t.Errorf("SetLiveVersion(1) = %v, %v, want version 1", set, err)
	}
	if _, err := s.SetLiveVersion(ctx, &registryv1.SetLiveVersionRequest{Name: "a", Version: 2}); fault.ReasonOf(err) != "VERSION_NOT_FOUND" {
		t.Errorf("SetLiveVersion(2) = %v, want VERSION_NOT_FOUND", err)
	}
}

func TestTheVersionOfARegistrationIsCompared(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	req := card(t, "a", "s")
	req.Version = "9.0.0"
	res, err := s.RegisterAgent(admin(t), req)
	if err != nil || len(res.GetWarnings()) != 1 || res.GetWarnings()[0].GetCode() != "VERSION_MISMATCH" {
		t.Errorf("RegisterAgent() = %v, %v, want VERSION_MISMATCH", res.GetWarnings(), err)
	}
}

// signed returns a registration whose card is signed by key.
func signed(t *testing.T, req *registryv1.RegisterAgentRequest, id string, key *ecdsa.PrivateKey) *registryv1.RegisterAgentRequest {
	t.Helper()
	raw, err := protojson.Marshal(req.GetCard())
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	payloads, err := jws.Payloads(raw)
	if err != nil {
		t.Fatalf("Payloads() = %v, want no error", err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", id))
	if err != nil {
		t.Fatalf("NewSigner() = %v, want no error", err)
	}
	object, err := signer.Sign(payloads[0])
	if err != nil {
		t.Fatalf("Sign() = %v, want no error", err)
	}
	var flat struct{ Protected, Signature string }
	if err := json.Unmarshal([]byte(object.FullSerialize()), &flat); err != nil {
		t.Fatalf("Unmarshal() = %v, want no error", err)
	}
	list, err := structpb.NewList([]any{map[string]any{"protected": flat.Protected, "signature": flat.Signature}})
	if err != nil {
		t.Fatalf("NewList() = %v, want no error", err)
	}
	req.GetCard().Fields["signatures"] = structpb.NewListValue(list)
	return req
}

func jwkOf(t *testing.T, id string, key *ecdsa.PrivateKey) *structpb.Struct {
	t.Helper()
	encoded, err := json.Marshal(jose.JSONWebKey{Key: key.Public(), KeyID: id})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	jwk := &structpb.Struct{}
	if err := protojson.Unmarshal(encoded, jwk); err != nil {
		t.Fatalf("Unmarshal() = %v, want no error", err)
	}
	return jwk
}

func pin(t *testing.T, s *rpc.Server, id string, key *ecdsa.PrivateKey) {
	t.Helper()
	got, err := s.PinSigningKey(admin(t), &registryv1.PinSigningKeyRequest{Jwk: jwkOf(t, id, key)})
	if err != nil || got.GetKeyId() != id || got.GetThumbprint() == "" {
		t.Fatalf("PinSigningKey(%s) = %v, %v, want it pinned", id, got, err)
	}
}

func TestSigningKeysOverRPC(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	pin(t, s, "k", key)
	list, err := s.ListSigningKeys(ctx, &registryv1.ListSigningKeysRequest{})
	if err != nil || len(list.GetSigningKeys()) != 1 || list.GetSigningKeys()[0].GetJwk().GetFields()["kty"].GetStringValue() != "EC" {
		t.Fatalf("ListSigningKeys() = %v, %v, want k", list, err)
	}
	got := register(ctx, t, s, signed(t, card(t, "a", "s"), "k", key)).GetVerification()
	if got.GetState() != "verified" || got.GetKeyId() != "k" || got.GetVerifyTime() == nil || !got.GetRequired() {
		t.Errorf("RegisterAgent() = %v, want it verified with k", got)
	}
	if _, err := s.DeleteSigningKey(ctx, &registryv1.DeleteSigningKeyRequest{KeyId: "k"}); err != nil {
		t.Errorf("DeleteSigningKey() = %v, want no error", err)
	}
	after, err := s.GetAgent(ctx, &registryv1.GetAgentRequest{Name: "a"})
	if err != nil || after.GetVerification().GetState() != "untrusted" || after.GetVerification().GetReason() == "" {
		t.Errorf("GetAgent() without the key = %v, %v, want untrusted with a reason", after.GetVerification(), err)
	}
}
