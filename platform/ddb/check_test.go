package ddb_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

func TestCheckNamesMissingTablesAndIndexes(t *testing.T) {
	t.Parallel()
	c := dynamotest.Open(t, nil)
	there := ddb.Table{
		Name: "Items", Hash: ddb.Text("id"), Range: ddb.Number("at"), Indexes: []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day"), Range: ddb.Bytes("position")}},
	}
	if err := c.Apply(t.Context(), []ddb.Table{there}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if err := c.Check(t.Context(), []ddb.Table{there}); err != nil {
		t.Errorf("Check() of what was applied = %v, want no error", err)
	}
	for name, x := range map[string]struct {
		table        ddb.Table
		reason, says string
	}{
		"a table":                  {ddb.Table{Name: "Others", Hash: ddb.Text("id")}, "TABLES_MISSING", "Others is not there"},
		"another partition key":    {ddb.Table{Name: "Items", Hash: ddb.Text("other"), Range: ddb.Number("at")}, "TABLE_DIFFERS", "Items cannot be read"},
		"another sort key":         {ddb.Table{Name: "Items", Hash: ddb.Text("id"), Range: ddb.Number("day")}, "TABLE_DIFFERS", "Items cannot be read"},
		"an index":                 {ddb.Table{Name: "Items", Hash: ddb.Text("id"), Range: ddb.Number("at"), Indexes: []ddb.Index{{Name: "ByAge", Hash: ddb.Text("age")}}}, "TABLE_DIFFERS", "index ByAge"},
		"an index with other keys": {ddb.Table{Name: "Items", Hash: ddb.Text("id"), Range: ddb.Number("at"), Indexes: []ddb.Index{{Name: "ByDay", Hash: ddb.Text("age")}}}, "TABLE_DIFFERS", "index ByDay"},
	} {
		err := c.Check(t.Context(), []ddb.Table{x.table})
		if fault.ReasonOf(err) != x.reason || !strings.Contains(err.Error(), x.says) {
			t.Errorf("Check() without %s = %v, want %s with %q", name, err, x.reason, x.says)
		}
	}
}

func TestCheckTellsWhatItMayNotRead(t *testing.T) {
	t.Parallel()
	s := &scripted{say: func(string, int) string { return "AccessDeniedException" }}
	if err := dynamotest.Open(t, s).Check(t.Context(), []ddb.Table{items}); fault.ReasonOf(err) != "STORE_DENIED" {
		t.Errorf("Check() without permission = %v, want STORE_DENIED", err)
	}
}
