package server_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/ddb"
)

var update = flag.Bool("update", false, "write deploy/terraform/tables.json anew")

const terraformTables = "../../deploy/terraform/tables.json"

// terraformTable is a table as deploy/terraform/main.tf reads it.
type terraformTable struct {
	Name       string           `json:"name"`
	HashKey    string           `json:"hash_key"`
	RangeKey   *string          `json:"range_key"`
	Attributes []attribute      `json:"attributes"`
	Indexes    []terraformIndex `json:"indexes"`
	TTL        *string          `json:"ttl"`
}

type attribute struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type terraformIndex struct {
	Name       string   `json:"name"`
	HashKey    string   `json:"hash_key"`
	RangeKey   *string  `json:"range_key"`
	Projection string   `json:"projection"`
	Include    []string `json:"include"`
}

func TestTerraformCreatesTheSameTables(t *testing.T) {
	t.Parallel()
	var want []terraformTable
	for _, table := range server.Tables() {
		want = append(want, toTerraform(table))
	}
	if *update {
		encoded, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(terraformTables, append(encoded, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(terraformTables)
	if err != nil {
		t.Fatal(err)
	}
	var got []terraformTable
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("tables.json: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables.json differs from what quorate tables apply creates; run this test with -update (-want +got):\n%s", diff)
	}
}

func toTerraform(table ddb.Table) terraformTable {
	t := terraformTable{
		Name: table.Name, HashKey: table.Hash.Name, RangeKey: optional(table.Range.Name), TTL: optional(table.TTL), Indexes: []terraformIndex{},
	}
	seen := make(map[string]bool)
	note := func(list ...ddb.Attribute) {
		for _, a := range list {
			if a.Name != "" && !seen[a.Name] {
				seen[a.Name] = true
				t.Attributes = append(t.Attributes, attribute{a.Name, string(a.Type)})
			}
		}
	}
	note(table.Hash, table.Range)
	for _, i := range table.Indexes {
		note(i.Hash, i.Range)
		index := terraformIndex{Name: i.Name, HashKey: i.Hash.Name, RangeKey: optional(i.Range.Name), Projection: "KEYS_ONLY", Include: i.Include}
		if len(i.Include) > 0 {
			index.Projection = "INCLUDE"
		}
		t.Indexes = append(t.Indexes, index)
	}
	return t
}

// optional returns nil for what is not there.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
