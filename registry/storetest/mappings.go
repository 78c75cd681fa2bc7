package storetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
)

// mappings tests a store that is a registry.MappingStore, and does nothing for other stores.
func mappings(t *testing.T, s registry.Store) {
	store, ok := s.(registry.MappingStore)
	if !ok {
		return
	}
	if got, err := store.Mappings(t.Context(), "t"); len(got) != 0 || err != nil {
		t.Errorf("Mappings() = %v, %v, want none", got, err)
	}
	want := []registry.Mapping{{From: "document", To: "comment", Description: "<d>", Etag: "e", CreateTime: epoch, UpdateTime: epoch}}
	put := func(list []registry.Mapping, seen []registry.Mapping, remember *registry.Request, refuse error) error {
		t.Helper()
		return store.UpdateMappings(t.Context(), "t", func(old []registry.Mapping) (registry.MappingChange, error) {
			if diff := cmp.Diff(seen, old); diff != "" {
				t.Errorf("UpdateMappings() read, difference (-want +got):\n%s", diff)
			}
			return registry.MappingChange{Mappings: list, Remember: remember}, refuse
		})
	}
	if err := put(want, nil, request("1", 0), nil); err != nil {
		t.Errorf("UpdateMappings() = %v, want no error", err)
	}
	if err := put(nil, want, nil, errRefused); !errors.Is(err, errRefused) {
		t.Errorf("UpdateMappings() = %v, want the error of change", err)
	}
	if err := put(nil, want, request("1", 0), nil); !errors.Is(err, registry.ErrRequestSeen) {
		t.Errorf("UpdateMappings() with a seen request = %v, want ErrRequestSeen", err)
	}
	for tenant, list := range map[string][]registry.Mapping{"t": want, "u": nil} {
		if got, err := store.Mappings(t.Context(), tenant); err != nil || cmp.Diff(list, got) != "" {
			t.Errorf("Mappings(%s) = %v, difference (-want +got):\n%s", tenant, err, cmp.Diff(list, got))
		}
	}
	if log, ok := s.(registry.ChangeLog); ok {
		entries, err := log.Changes(t.Context(), "t", 0, 9)
		if err != nil || len(entries) != 1 || entries[0].Type != registry.ChangeMapping {
			t.Errorf("Changes() = %v, %v, want one of the mappings", entries, err)
		}
	}
}
