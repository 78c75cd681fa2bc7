// Package storetest is the conformance suite of registry.Store. Every store runs it; each test gets an empty store.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Run runs the suite; open returns a new empty store that lives until the test ends.
func Run(t *testing.T, open func(t *testing.T) registry.Store) {
	tests := map[string]func(*testing.T, registry.Store){
		"a missing agent is a fault and not a zero agent":          missing,
		"an agent reads as it was written":                         roundTrip,
		"agents are listed by tenant and name, page by page":       listing,
		"a tenant never sees another's agents":                     tenants,
		"agents are found by skill, and no longer when it is gone": skills,
		"long skill ids that begin alike are told apart":           longSkills,
		"agents are found by tag, and by skill with a tag":         tags,
		"agents are found by what their names look like":           looks,
		"a deleted agent leaves nothing behind":                    deletion,
		"an error of the change writes nothing":                    rollback,
		"a dry run writes nothing":                                 dryRun,
		"a record over the limit is refused whole":                 tooLarge,
		"a pulse needs its agent and does not touch it":            pulses,
		"a token finds its agent until it is replaced":             tokens,
		"a request is remembered once, until it is over":           requests,
		"of many who create one name exactly one wins":             creationRace,
		"concurrent updates lose nothing":                          updateRace,
		"an ended context reads nothing":                           endedContext,
		"each change is in the log once, and beats are not":        changeLog,
		"every field of what is stored survives":                   everyField,
		"mappings read as they were written, and are in the log":   mappings,
		"more skills than a transaction holds come and go":         manySkills,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

var epoch = time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)

// Record returns an agent of the tenant with the skills.
func Record(tenant, name string, skills ...string) *registry.Record {
	r := &registry.Record{Agent: registry.Agent{
		Tenant: tenant, Name: name, RawCard: []byte(`{"name":"` + name + `" , "any":"<thing>"}`), CardURI: "https://example.com/" + name,
		Etag: "e-" + name, Revision: 1, CreateTime: epoch, UpdateTime: epoch.Add(time.Second),
		Card: agentcard.Card{
			Name: name, Version: "1.0.0", Streaming: true,
			Interfaces: []agentcard.Interface{{URL: "https://example.com/rpc", Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"}},
		},
		Metadata: agentcard.Metadata{
			InputSchemas: []agentcard.InputSchema{{Name: "spec", SemanticType: "document", ValidationRules: []agentcard.ValidationRule{
				{Type: "enum", Value: []any{"a", "<b>"}, Message: "one of them"}, {Type: "length", Value: 3.0, Message: "short"},
			}}},
			ConsultationRequirements: []agentcard.ConsultationRequirement{{
				ID: "r", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true, MinLevel: "C3",
				Condition: &agentcard.Condition{Attribute: "sensitive", Operator: "equals", Value: true},
			}},
			AtMostOnceSkills: []string{"pay"},
		},
	}}
	for _, id := range skills {
		r.Card.Skills = append(r.Card.Skills, agentcard.Skill{ID: id, Name: "Skill " + id, Tags: []string{"t"}})
	}
	return r
}

// Put writes the record, replacing whatever is there.
func Put(t *testing.T, s registry.Store, r *registry.Record) {
	t.Helper()
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{Record: r}, nil })
	if err != nil {
		t.Fatalf("Update(%v) = %v, want no error", r.Key(), err)
	}
}

func remove(t *testing.T, s registry.Store, key registry.Key) {
	t.Helper()
	err := s.Update(t.Context(), key, func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
	if err != nil {
		t.Fatalf("Update(%v) to delete = %v, want no error", key, err)
	}
}

// lagTime is how long an index may take to reflect a write.
const lagTime = 10 * time.Second

// wantNames waits for the index, since that of a real DynamoDB lags behind.
func wantNames(t *testing.T, s registry.Store, q registry.Query, want ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lagTime)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		records, err := s.Agents(t.Context(), q)
		var got []string
		for i := range records {
			got = append(got, records[i].Tenant+"/"+records[i].Name)
		}
		if err == nil && slices.Equal(want, got) {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Errorf("Agents(%+v) = %v, %v, want %v", q, got, err, want)
			return
		}
	}
}
