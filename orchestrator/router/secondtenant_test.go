package router_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// fleets are the agents of several tenants.
type fleets struct {
	fleet // for what these tests do not use

	of map[string]fleet
}

func (f fleets) Peek(tenant, name string) (*registry.Agent, registry.Status, bool) {
	return f.of[tenant].Peek(tenant, name)
}

func (f fleets) Listing(tenant string) registry.Listing { return f.of[tenant].Listing(tenant) }

// prudish is a model that knows cats from all else, refuses secrets, and quotes them.
type prudish struct{}

func (prudish) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{0, 1}
		if strings.Contains(text, "cat") {
			vectors[i] = []float32{1, 0}
		}
		if strings.Contains(text, "secret") {
			return nil, fault.Invalid("input", "REFUSED", "the endpoint answered: not %q", text)
		}
	}
	return vectors, nil
}

// TestSkillsThatAreRefusedAreNoOtherTenantsBusiness runs several times, since the order in which tenants are read is random.
func TestSkillsThatAreRefusedAreNoOtherTenantsBusiness(t *testing.T) {
	t.Parallel()
	for range 8 {
		synctest.Test(t, func(t *testing.T) {
			theirs := fleet{}
			for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
				theirs = append(theirs, skilled("s-"+id, registry.StatusAvailable, "s", "Keeps the secret "+id+"."))
			}
			ours := fleet{
				skilled("a-cats", registry.StatusAvailable, "draw_cat", "Draws a picture of a cat."),
				skilled("b-dogs", registry.StatusAvailable, "draw_dog", "Draws a picture of a dog."),
			}
			r := router.New(router.Config{Directory: fleets{of: map[string]fleet{"theirs": theirs, tenant: ours}}, Intn: first, Embedder: prudish{}})
			if _, err := r.Resolve(t.Context(), "theirs", orchestrator.Route{Text: "keep it"}); err == nil {
				t.Error("Resolve() of a text that nothing fits = nil, want a refusal")
			}
			unsure(t, r)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go r.Run(ctx)
			synctest.Wait()
			if says := unsure(t, r); !strings.Contains(says, "the second stage (embeddings) decided") {
				t.Errorf("Resolve() says %q although all skills of its tenant could be read, want that the second stage decided", says)
			}
		})
	}
}
