package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/discovery"
)

func TestASourceThatCannotBeUsedIsNamedByItsSetting(t *testing.T) {
	t.Parallel()
	for setting, source := range map[string]discovery.Source{
		"cardURLs": {URLs: []string{"agent"}}, "cardFolder": {Folder: "cards"}, "catalogs": {Catalog: "catalog"},
	} {
		good := discovery.Source{Folder: "/cards"}
		f := fault.From(server.CheckSources([]discovery.Source{good, source}))
		if f == nil || f.Reason != "CONFIG_INVALID" || len(f.Violations) != 1 || f.Violations[0].Field != setting {
			t.Errorf("CheckSources(%+v) = %v, want CONFIG_INVALID of %s", source, f, setting)
		}
	}
}

func TestAServerDoesAllOfItsWork(t *testing.T) {
	t.Parallel()
	stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: t.TempDir(), Backup: server.Backup{Dir: t.TempDir(), Every: time.Hour, Keep: 1}})
	if err != nil {
		t.Fatalf("OpenEmbedded() = %v, want no error", err)
	}
	var names []string
	for _, task := range startOn(t, stores, listen(t)).Tasks() {
		names = append(names, task.Name)
	}
	want := "prober, card refresher, change log sweeper, directory, discovery, rpc, engine, credentials for agents, retention, backup"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("Tasks() = %s, want %s", got, want)
	}
}

func TestAnAgentThatQuorateCannotCallIsRegisteredWithAWarningAndGetsNoTasks(t *testing.T) {
	t.Parallel()
	stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("OpenEmbedded() = %v, want no error", err)
	}
	card := `{"name":"a","version":"1.0.0","supportedInterfaces":[{"url":"http://192.0.2.1/","protocolBinding":"CARRIER-PIGEON","protocolVersion":"1.0"}],"skills":[{"id":"s"}]}`
	s := startOn(t, stores, listen(t))
	_, warnings, err := s.Registry.Register(t.Context(), auth.DefaultTenant, registry.Registration{RawCard: []byte(card)})
	unsupported := func(w agentcard.Warning) bool { return w.Code == "AGENT_INTERFACE_UNSUPPORTED" }
	if err != nil || !slices.ContainsFunc(warnings, unsupported) {
		t.Errorf("Register() = %v, %v, want AGENT_INTERFACE_UNSUPPORTED among the warnings", warnings, err)
	}
	if d, err := s.Engine.Resolve(t.Context(), engine.Submission{Tenant: auth.DefaultTenant, Route: orchestrator.Route{Agent: "a"}}); err != nil || d.Refused == "" {
		t.Errorf("Resolve() = %+v, %v, want a refusal", d, err)
	}
}
