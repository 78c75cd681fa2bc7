package server_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/fault"
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
