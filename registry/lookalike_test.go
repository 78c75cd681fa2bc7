package registry_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func TestANameInASourceMayLookLikeAnother(t *testing.T) {
	t.Parallel()
	found := registry.Found{RawCard: named("c0der", "s"), Source: registry.Source{Type: registry.SourceFolder, Location: "/cards"}}
	r := open(t, registry.Options{})
	register(t, r, "coder")
	_, warnings, err := r.Discover(t.Context(), tenant, found)
	wantCodes(t, "Discover()", warnings, err, "NAME_LOOKS_LIKE")
	r = open(t, registry.Options{Strict: true})
	register(t, r, "coder")
	if _, _, err := r.Discover(t.Context(), tenant, found); fault.ReasonOf(err) != "NAME_LOOKS_LIKE" {
		t.Errorf("Discover() by a strict registry = %v, want NAME_LOOKS_LIKE", err)
	}
}

// TestAFileIsNoSignOfLife: that an agent's card is in a folder says nothing about its server.
func TestAFileIsNoSignOfLife(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	found := registry.Found{RawCard: named("a"), Source: registry.Source{Type: registry.SourceFolder, Location: "/cards"}}
	for range 2 {
		if _, _, err := r.Discover(t.Context(), tenant, found); err != nil {
			t.Fatalf("Discover() = %v, want no error", err)
		}
		if got := statusOf(t, r, "a"); got.Status != registry.StatusUnknown {
			t.Errorf("Status = %+v, want unknown", got)
		}
	}
}

func TestANameThatLooksLikeAnother(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		there, name string
		want        bool
	}{
		"letter case":                   {"code-analyzer", "Code-Analyzer", true},
		"a capital i for an l":          {"code-analyzer", "code-anaIyzer", true},
		"a one for an l":                {"code-analyzer", "code-ana1yzer", true},
		"a zero for an o":               {"code-analyzer", "c0de-analyzer", true},
		"r and n for an m":              {"summary", "surnrnary", true},
		"two v for a w":                 {"web", "vveb", true},
		"capitals of both":              {"INDEX", "index", true},
		"an i for an l is not the same": {"mail", "mall", false},
		"numbers differ":                {"agent-10", "agent-01", false},
		"another name":                  {"web", "webb", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, registry.Options{})
			register(t, r, test.there)
			in := registry.Registration{RawCard: named(test.name, "s"), ValidateOnly: true}
			for range 2 { // first only validated, then registered
				_, warnings, err := r.Register(t.Context(), tenant, in)
				got := len(warnings) == 1 && warnings[0].Code == "NAME_LOOKS_LIKE" && strings.HasSuffix(warnings[0].Message, ": "+test.there)
				if err != nil || got != test.want || !test.want && len(warnings) != 0 {
					t.Errorf("Register(%s) beside %s = %v, %v, want a warning: %v", test.name, test.there, warnings, err, test.want)
				}
				in.ValidateOnly = false
			}
		})
	}
}

func TestAStrictRegistryRefusesALookAlike(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{Strict: true})
	register(t, r, "web")
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("vveb")}); fault.ReasonOf(err) != "NAME_LOOKS_LIKE" {
		t.Errorf("Register(vveb) beside web = %v, want NAME_LOOKS_LIKE", err)
	}
	again := apply(t, r, registry.Application{Registration: registry.Registration{RawCard: named("web")}})
	if again.Outcome != registry.OutcomeUnchanged {
		t.Errorf("Apply(web) = %+v, want unchanged: it is itself", again)
	}
	if _, _, err := r.Register(t.Context(), "other", registry.Registration{RawCard: named("vveb")}); err != nil {
		t.Errorf("Register(vveb) in another tenant = %v, want no error", err)
	}
}

// TestANameThatLooksLikeOneThatIsNotTheCards registers an agent whose card has another name than the agent.
func TestANameThatLooksLikeOneThatIsNotTheCards(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{Strict: true})
	planner := registry.Registration{RawCard: []byte(strings.Replace(string(named("x")), `"x"`, `"Route Planner"`, 1)), Name: "web"}
	if _, _, err := r.Register(t.Context(), tenant, planner); err != nil {
		t.Fatalf("Register(web) = %v, want no error", err)
	}
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("vveb")}); fault.ReasonOf(err) != "NAME_LOOKS_LIKE" {
		t.Errorf("Register(vveb) beside web = %v, want NAME_LOOKS_LIKE", err)
	}
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("Route-Planner")}); err != nil {
		t.Errorf("Register(Route-Planner) = %v, want no error: no agent has the name of that card", err)
	}
}

// TestALookAlikeThatIsThereIsApplied has an operator turn strictness on when two agents with names alike are there.
func TestALookAlikeThatIsThereIsApplied(t *testing.T) {
	t.Parallel()
	_, store := openPulseStore(t)
	before := registry.New(store, registry.Options{})
	register(t, before, "web")
	register(t, before, "vveb")
	strict := registry.New(store, registry.Options{Strict: true})
	in := registry.Application{Registration: registry.Registration{RawCard: named("vveb", "more")}}
	for _, r := range []*registry.Registry{before, strict} {
		if got, err := r.Apply(t.Context(), tenant, in); err != nil || len(got.Warnings) != 0 {
			t.Errorf("Apply() of an agent that is there = %v, %v, want no error and no warning about its name", got.Warnings, err)
		}
		in.RawCard = named("vveb", "still", "more")
	}
	in.RawCard = named("vvebb")
	if _, err := strict.Apply(t.Context(), tenant, in); err != nil {
		t.Errorf("Apply() of a new agent with a name of its own = %v, want no error", err)
	}
	in.RawCard = named("webb")
	if _, err := strict.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "NAME_LOOKS_LIKE" {
		t.Errorf("Apply() of a new agent = %v, want NAME_LOOKS_LIKE", err)
	}
}
