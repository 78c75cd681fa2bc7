package rpc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry/rpc"
)

// paged reads a list to its end, page by page, and returns what is on it and how much was on each page.
func paged(t *testing.T, read func(token string) (names []string, next string, err error)) (names []string, sizes []int) {
	t.Helper()
	for token := ""; ; {
		page, next, err := read(token)
		if err != nil {
			t.Fatalf("reading the page behind %q = %v, want no error", token, err)
		}
		names, sizes = append(names, page...), append(sizes, len(page))
		if token = next; token == "" {
			return names, sizes
		}
	}
}

func keysOf(t *testing.T, s *rpc.Server, size int32) func(token string) ([]string, string, error) {
	t.Helper()
	return func(token string) (ids []string, next string, err error) {
		page, err := s.ListSigningKeys(admin(t), &registryv1.ListSigningKeysRequest{PageSize: size, PageToken: token})
		for _, k := range page.GetSigningKeys() {
			ids = append(ids, k.GetKeyId())
		}
		return ids, page.GetNextPageToken(), err
	}
}

func TestKeysAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	for _, id := range []string{"c", "a", "did:web:acme.com/team#1", "b", "e"} {
		pin(t, s, id, key)
	}
	want := []string{"a", "b", "c", "did:web:acme.com/team#1", "e"}
	if got, sizes := paged(t, keysOf(t, s, 2)); !slices.Equal(got, want) || !slices.Equal(sizes, []int{2, 2, 1}) {
		t.Errorf("ListSigningKeys() = %v in pages of %v, want %v in 2, 2 and 1", got, sizes, want)
	}
	_, token, _ := keysOf(t, s, 2)("")
	if _, err := s.DeleteSigningKey(admin(t), &registryv1.DeleteSigningKeyRequest{KeyId: "b"}); err != nil {
		t.Fatalf("DeleteSigningKey(b) = %v, want no error", err)
	}
	if got, _, err := keysOf(t, s, 9)(token); err != nil || !slices.Equal(got, want[2:]) {
		t.Errorf("ListSigningKeys() behind a key that is gone = %v, %v, want %v", got, err, want[2:])
	}
	if _, err := s.ListSigningKeys(as(t, "t", "ann", auth.RoleAdmin), &registryv1.ListSigningKeysRequest{PageToken: token}); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
		t.Errorf("ListSigningKeys() with the token of another caller = %v, want PAGE_TOKEN_INVALID", err)
	}
	if _, err := s.ListSemanticMappings(admin(t), &registryv1.ListSemanticMappingsRequest{PageToken: token}); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
		t.Errorf("ListSemanticMappings() with the token of another list = %v, want PAGE_TOKEN_INVALID", err)
	}
}

// TestAPageOfLargeKeysFitsAMessage pins keys that are together larger than the 4 MiB that a gRPC client takes.
func TestAPageOfLargeKeysFitsAMessage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	const keys = 300
	for i := range keys {
		jwk := jwkOf(t, strings.Repeat("k", i%100+1)+string(rune('a'+i/100)), key)
		jwk.Fields["x5u"] = structpb.NewStringValue("https://example.com/" + strings.Repeat("x", 15<<10))
		if _, err := s.PinSigningKey(admin(t), &registryv1.PinSigningKeyRequest{Jwk: jwk}); err != nil {
			t.Fatalf("PinSigningKey() = %v, want no error", err)
		}
	}
	page, err := s.ListSigningKeys(admin(t), &registryv1.ListSigningKeysRequest{PageSize: 1000})
	if err != nil || proto.Size(page) > 2<<20 || page.GetNextPageToken() == "" {
		t.Errorf("ListSigningKeys() = %d bytes, %v, want less than 2 MiB and a next page", proto.Size(page), err)
	}
	if got, _ := paged(t, keysOf(t, s, 1000)); len(got) != keys || !slices.IsSorted(got) {
		t.Errorf("ListSigningKeys() = %d keys, want %d in order", len(got), keys)
	}
}

func TestMappingsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for _, to := range []string{"artifact", "collection", "reference"} {
		_, err := s.CreateSemanticMapping(admin(t), &registryv1.CreateSemanticMappingRequest{SemanticMapping: &registryv1.SemanticMapping{FromType: "comment", ToType: to}})
		if err != nil {
			t.Fatalf("CreateSemanticMapping(comment, %s) = %v, want no error", to, err)
		}
	}
	got, sizes := paged(t, func(token string) (names []string, next string, err error) {
		page, err := s.ListSemanticMappings(admin(t), &registryv1.ListSemanticMappingsRequest{PageSize: 2, PageToken: token})
		for _, m := range page.GetSemanticMappings() {
			names = append(names, m.GetName())
		}
		return names, page.GetNextPageToken(), err
	})
	if want := []string{"comment-artifact", "comment-collection", "comment-reference"}; !slices.Equal(got, want) || !slices.Equal(sizes, []int{2, 1}) {
		t.Errorf("ListSemanticMappings() = %v in pages of %v, want %v in 2 and 1", got, sizes, want)
	}
}
