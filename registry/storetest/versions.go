package storetest

import (
	"bytes"
	"context"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// VersionedStore is a store that keeps versions and keys too.
type VersionedStore interface {
	registry.Store
	registry.VersionStore
	registry.SigningKeyStore
}

// RunVersions runs the conformance suite of registry.VersionStore and registry.SigningKeyStore; open returns a new empty store that
// lives until the test ends.
func RunVersions(t *testing.T, open func(t *testing.T) VersionedStore) {
	tests := map[string]func(*testing.T, VersionedStore){
		"a version reads as it was written, with a card of any size": versionRoundTrip,
		"versions are listed newest first, page by page":             versionPages,
		"the oldest version goes when there are too many":            versionLimit,
		"a version takes the place of the one with its number":       versionReplaced,
		"a deleted agent's versions are gone":                        versionDeletion,
		"what is not written keeps no version":                       versionRefusals,
		"keys are listed by tenant and id until they are deleted":    keys,
		"keys do not change and are bounded":                         keyRefusals,
		"a key is kept with the request for it, or neither is":       keyRequests,
		"a key goes with the request for that, or neither counts":    keyDeletionRequests,
		"an ended context reads no version and no key":               endedVersionContext,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func version(agent string, number int64) *registry.Version {
	return &registry.Version{
		Agent: agent, Number: number, Hash: "h" + strconv.FormatInt(number, 10), RawCard: []byte(`{"name" : "<` + agent + `>"}`),
		CardURI: "https://example.com/" + agent, CardVersion: "1.0.0", CreateTime: epoch,
		Breaking: []agentcard.BreakingChange{{Code: agentcard.SkillRemoved, Field: "card.skills", Message: `the skill "x" is gone`}},
	}
}

func putVersion(t *testing.T, s registry.Store, v *registry.Version) {
	t.Helper()
	r := Record("t", v.Agent)
	r.LiveVersion, r.LatestVersion, r.LatestHash = v.Number, v.Number, v.Hash
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: r, Version: v}, nil
	})
	if err != nil {
		t.Fatalf("Update() with version %d = %v, want no error", v.Number, err)
	}
}

func wantVersions(t *testing.T, s VersionedStore, agent string, before int64, limit int, want ...int64) {
	t.Helper()
	list, err := s.Versions(t.Context(), registry.Key{Tenant: "t", Name: agent}, before, limit)
	var got []int64
	for i := range list {
		got = append(got, list[i].Number)
	}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Versions(%s, %d, %d) = %v, %v, want %v", agent, before, limit, got, err, want)
	}
}

func versionRoundTrip(t *testing.T, s VersionedStore) {
	want := version("a", 7)
	want.RawCard = bytes.Repeat([]byte("x"), agentcard.MaxBytes)
	putVersion(t, s, want)
	got, err := s.Version(t.Context(), registry.Key{Tenant: "t", Name: "a"}, 7)
	if err != nil || cmp.Diff(*want, got) != "" {
		t.Errorf("Version() = %v, difference (-want +got):\n%s", err, cmp.Diff(*want, got))
	}
	record, err := s.Agent(t.Context(), registry.Key{Tenant: "t", Name: "a"})
	if err != nil || record.LiveVersion != 7 || record.LatestVersion != 7 || record.LatestHash != "h7" {
		t.Errorf("Agent() = versions %d and %d with hash %s, %v, want 7, 7, h7", record.LiveVersion, record.LatestVersion, record.LatestHash, err)
	}
	for name, key := range map[string]registry.Key{"of another agent": {Tenant: "t", Name: "b"}, "of another tenant": {Tenant: "u", Name: "a"}} {
		if _, err := s.Version(t.Context(), key, 7); fault.ReasonOf(err) != "VERSION_NOT_FOUND" {
			t.Errorf("Version() %s = %v, want VERSION_NOT_FOUND", name, err)
		}
	}
}

func versionPages(t *testing.T, s VersionedStore) {
	for _, number := range []int64{1, 2, 9, 10, 16} {
		putVersion(t, s, version("a", number))
	}
	putVersion(t, s, version("ab", 3))
	wantVersions(t, s, "a", 0, 2, 16, 10)
	wantVersions(t, s, "a", 10, 2, 9, 2)
	wantVersions(t, s, "a", 2, 9, 1)
	wantVersions(t, s, "a", 1, 9)
	wantVersions(t, s, "nobody", 0, 9)
}

func versionLimit(t *testing.T, s VersionedStore) {
	for number := int64(1); number <= registry.MaxVersions+2; number++ {
		putVersion(t, s, version("a", number))
	}
	wantVersions(t, s, "a", 5, 9, 4, 3)
	wantVersions(t, s, "a", 0, 1, registry.MaxVersions+2)
}

func versionReplaced(t *testing.T, s VersionedStore) {
	putVersion(t, s, version("a", 1))
	putVersion(t, s, version("a", 2))
	want := version("a", 2)
	want.Hash, want.RawCard, want.Breaking = "other", []byte(`{"name":"other"}`), nil
	putVersion(t, s, want)
	wantVersions(t, s, "a", 0, 9, 2, 1)
	got, err := s.Version(t.Context(), registry.Key{Tenant: "t", Name: "a"}, 2)
	if err != nil || cmp.Diff(*want, got) != "" {
		t.Errorf("Version() = %v, difference (-want +got):\n%s", err, cmp.Diff(*want, got))
	}
}

func versionDeletion(t *testing.T, s VersionedStore) {
	for number := range int64(3) {
		putVersion(t, s, version("a", number+1))
	}
	putVersion(t, s, version("b", 1))
	remove(t, s, registry.Key{Tenant: "t", Name: "a"})
	wantVersions(t, s, "a", 0, 9)
	wantVersions(t, s, "b", 0, 9, 1)
}

func versionRefusals(t *testing.T, s VersionedStore) {
	r := Record("t", "a")
	for name, test := range map[string]struct {
		change registry.Change
		err    error
	}{
		"a dry run": {registry.Change{Record: r, Version: version("a", 1), DryRun: true}, nil},
		"an error":  {registry.Change{Record: r, Version: version("a", 1)}, errRefused},
	} {
		_ = s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return test.change, test.err })
		if _, err := s.Version(t.Context(), r.Key(), 1); fault.ReasonOf(err) != "VERSION_NOT_FOUND" {
			t.Errorf("Version() after %s = %v, want VERSION_NOT_FOUND", name, err)
		}
	}
}

func endedVersionContext(t *testing.T, s VersionedStore) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, versionErr := s.Version(ctx, registry.Key{Tenant: "t", Name: "a"}, 1)
	_, listErr := s.Versions(ctx, registry.Key{Tenant: "t", Name: "a"}, 0, 1)
	_, keysErr := s.SigningKeys(ctx, "t")
	for name, err := range map[string]error{"Version": versionErr, "Versions": listErr, "Keys": keysErr} {
		if err == nil || fault.KindOf(err) == fault.NotFound {
			t.Errorf("%s() after the context ended = %v, want the context's error", name, err)
		}
	}
}
