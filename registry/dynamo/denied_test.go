package dynamo_test

import (
	"crypto/sha256"
	"strconv"
	"testing"

	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// Each operation begins with a store that remembers nothing.
func TestWhatDynamoDBRefusesIsAnError(t *testing.T) {
	t.Parallel()
	var deny dynamotest.Denier
	s, db := openBoth(t, &deny)
	ctx, n, fresh := t.Context(), 0, func() *dynamo.Store { return dynamo.New(db) }
	r := storetest.Record("t", "a", "fetch")
	storetest.Put(t, s, r)
	next := func() string { n++; return strconv.Itoa(n) }
	for name, do := range map[string]func() error{
		"Agent":  func() error { _, err := fresh().Agent(ctx, r.Key()); return err },
		"Agents": func() error { _, err := fresh().Agents(ctx, registry.Query{Limit: 10}); return err },
		"Agents of a skill": func() error {
			_, err := fresh().Agents(ctx, registry.Query{Tenant: "t", Skill: "fetch", Limit: 10})
			return err
		},
		"Agents by name": func() error {
			_, err := fresh().Agents(ctx, registry.Query{Tenant: "t", Names: []string{"a"}, Limit: 10})
			return err
		},
		"Skills":       func() error { _, err := fresh().Skills(ctx, "t", registry.SkillKey{}, 10); return err },
		"Pulses":       func() error { _, err := fresh().Pulses(ctx, r.Key()); return err },
		"RecentPulses": func() error { _, err := fresh().RecentPulses(ctx, r.Key()); return err },
		"AgentByToken": func() error { _, _, err := fresh().AgentByToken(ctx, sha256.Sum256(nil)); return err },
		"Request": func() error {
			_, _, err := fresh().Request(ctx, registry.RequestKey{Tenant: "t", Caller: "c", ID: "1"})
			return err
		},
		"Head":        func() error { _, err := fresh().Head(ctx, "t"); return err },
		"Changes":     func() error { _, err := fresh().Changes(ctx, "t", 0, 10); return err },
		"Versions":    func() error { _, err := fresh().Versions(ctx, r.Key(), 0, 10); return err },
		"Mappings":    func() error { _, err := fresh().Mappings(ctx, "t"); return err },
		"SigningKeys": func() error { _, err := fresh().SigningKeys(ctx, "t"); return err },
		"Update": func() error {
			fresh := fresh()
			added := storetest.Record("t", "b"+next(), "fetch")
			return fresh.Update(ctx, added.Key(), func(*registry.Record) (registry.Change, error) {
				return registry.Change{Record: added, Remember: &registry.Request{Key: registry.RequestKey{Tenant: "t", Caller: "c", ID: next()}}}, nil
			})
		},
		"UpdatePulse": func() error {
			return fresh().UpdatePulse(ctx, r.Key(), func(p registry.Pulse) (registry.Pulse, error) { p.InFlight++; return p, nil })
		},
		"UpdateMappings": func() error {
			return fresh().UpdateMappings(ctx, "t", func([]registry.Mapping) (registry.MappingChange, error) {
				return registry.MappingChange{Mappings: []registry.Mapping{{From: "document", To: "collection"}}}, nil
			})
		},
		"PutSigningKey": func() error {
			return fresh().PutSigningKey(ctx, registry.SigningKey{Tenant: "t", ID: next(), JWK: []byte("{}")}, nil)
		},
	} {
		deny.Each(t, name, do)
	}
	deny.Each(t, "DeleteSigningKey", func() error {
		keys, err := fresh().SigningKeys(ctx, "t")
		if err != nil || len(keys) == 0 {
			return err
		}
		_, err = fresh().DeleteSigningKey(ctx, "t", keys[0].ID, nil)
		return err
	})
}
