package storetest

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func signingKey(tenant, id string) registry.SigningKey {
	return registry.SigningKey{
		Tenant: tenant, ID: id, JWK: []byte(`{"kty":"EC" }`), Agents: []string{"a", "b"}, Thumbprint: "p", CreateTime: epoch,
	}
}

func keys(t *testing.T, s VersionedStore) {
	for _, key := range []registry.SigningKey{signingKey("t", "b"), signingKey("t", "a\x00<"), signingKey("ta", "z")} {
		if err := s.PutSigningKey(t.Context(), key, nil); err != nil {
			t.Fatalf("PutSigningKey(%s) = %v, want no error", key.ID, err)
		}
	}
	want := []registry.SigningKey{signingKey("t", "a\x00<"), signingKey("t", "b")}
	if got, err := s.SigningKeys(t.Context(), "t"); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("SigningKeys() = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	for _, there := range []bool{true, false} {
		if ok, err := s.DeleteSigningKey(t.Context(), "t", "b", nil); ok != there || err != nil {
			t.Errorf("DeleteSigningKey(b) = %v, %v, want %v", ok, err, there)
		}
	}
	if got, err := s.SigningKeys(t.Context(), "t"); err != nil || len(got) != 1 {
		t.Errorf("SigningKeys() after DeleteSigningKey(b) = %v, %v, want one", got, err)
	}
}

func keyRefusals(t *testing.T, s VersionedStore) {
	for i := range registry.MaxSigningKeys {
		if err := s.PutSigningKey(t.Context(), signingKey("t", strconv.Itoa(i)), nil); err != nil {
			t.Fatalf("PutSigningKey(%d) = %v, want no error", i, err)
		}
	}
	if err := s.PutSigningKey(t.Context(), signingKey("t", "7"), nil); fault.ReasonOf(err) != "KEY_EXISTS" {
		t.Errorf("PutSigningKey() of a known id = %v, want KEY_EXISTS", err)
	}
	if err := s.PutSigningKey(t.Context(), signingKey("t", "x"), nil); fault.ReasonOf(err) != "KEYS_FULL" {
		t.Errorf("PutSigningKey() over the limit = %v, want KEYS_FULL", err)
	}
}

func keyRequests(t *testing.T, s VersionedStore) {
	first := request("1", 0)
	if err := s.PutSigningKey(t.Context(), signingKey("t", "a"), first); err != nil {
		t.Fatalf("PutSigningKey(a) = %v, want no error", err)
	}
	if got, ok, err := s.Request(t.Context(), first.Key); !ok || err != nil || cmp.Diff(*first, got) != "" {
		t.Errorf("Request() = %v, %v, difference (-want +got):\n%s", ok, err, cmp.Diff(*first, got))
	}
	if err := s.PutSigningKey(t.Context(), signingKey("t", "b"), request("1", 0)); !errors.Is(err, registry.ErrRequestSeen) {
		t.Errorf("PutSigningKey(b) with a seen request = %v, want ErrRequestSeen", err)
	}
	if err := s.PutSigningKey(t.Context(), signingKey("t", "a"), request("2", 0)); fault.ReasonOf(err) != "KEY_EXISTS" {
		t.Errorf("PutSigningKey(a) again = %v, want KEY_EXISTS", err)
	}
	if isRemembered(t, s, "2") {
		t.Error("the request of a refused key is remembered")
	}
	if keys, err := s.SigningKeys(t.Context(), "t"); err != nil || len(keys) != 1 {
		t.Errorf("SigningKeys() = %v, %v, want a alone", keys, err)
	}
}

func keyDeletionRequests(t *testing.T, s VersionedStore) {
	if err := s.PutSigningKey(t.Context(), signingKey("t", "a"), request("1", 0)); err != nil {
		t.Fatalf("PutSigningKey(a) = %v, want no error", err)
	}
	if ok, err := s.DeleteSigningKey(t.Context(), "t", "a", request("1", 0)); ok || !errors.Is(err, registry.ErrRequestSeen) {
		t.Errorf("DeleteSigningKey(a) with a seen request = %v, %v, want ErrRequestSeen", ok, err)
	}
	if ok, err := s.DeleteSigningKey(t.Context(), "t", "b", request("2", 0)); ok || err != nil || isRemembered(t, s, "2") {
		t.Errorf("DeleteSigningKey(b) = %v, %v, want that there is none, and nothing to remember", ok, err)
	}
	if ok, err := s.DeleteSigningKey(t.Context(), "t", "a", request("3", 0)); !ok || err != nil || !isRemembered(t, s, "3") {
		t.Errorf("DeleteSigningKey(a) = %v, %v, want it gone and the request remembered", ok, err)
	}
}

func isRemembered(t *testing.T, s VersionedStore, id string) bool {
	t.Helper()
	_, ok, err := s.Request(t.Context(), request(id, 0).Key)
	if err != nil {
		t.Errorf("Request(%s) = %v, want no error", id, err)
	}
	return ok
}
