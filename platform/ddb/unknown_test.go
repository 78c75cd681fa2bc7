package ddb_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quorate/quorate/platform/ddb"
)

type (
	fields   = map[string]any
	elements = []any
)

// stored returns a value as an attribute.
func stored(v any) types.AttributeValue {
	switch v := v.(type) {
	case fields:
		return &types.AttributeValueMemberM{Value: itemOf(v)}
	case elements:
		list := make([]types.AttributeValue, len(v))
		for i := range v {
			list[i] = stored(v[i])
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	return &types.AttributeValueMemberS{Value: v.(string)} //nolint:forcetypeassert // nothing else is in the test
}

func itemOf(v fields) ddb.Item {
	item := make(ddb.Item, len(v))
	for name, e := range v {
		item[name] = stored(e)
	}
	return item
}

// In each item, x is what a newer version has added. Elements of again are those of old without it.
func TestWhatAWriteDoesNotChangeStaysAsItWas(t *testing.T) {
	t.Parallel()
	e := func(n string) fields { return fields{"n": n} }
	x := func(n string) fields { return fields{"n": n, "x": "new"} }
	for name, test := range map[string]struct{ next, again, old, want fields }{
		"the same":             {fields{"a": e("1")}, fields{"a": e("1")}, fields{"a": x("1")}, fields{"a": x("1")}},
		"changed":              {fields{"a": e("2")}, fields{"a": e("1")}, fields{"a": x("1")}, fields{"a": e("2")}},
		"beside a change":      {fields{"a": fields{"b": e("1"), "c": "2"}}, fields{"a": fields{"b": e("1"), "c": "1"}}, fields{"a": fields{"b": x("1"), "c": "1"}}, fields{"a": fields{"b": x("1"), "c": "2"}}},
		"removed":              {fields{}, fields{"a": e("1")}, fields{"a": x("1")}, fields{}},
		"added":                {fields{"a": e("1")}, fields{}, fields{}, fields{"a": e("1")}},
		"another type":         {fields{"a": "s"}, fields{"a": e("1")}, fields{"a": x("1")}, fields{"a": "s"}},
		"appended":             {fields{"l": elements{e("1"), e("2")}}, fields{"l": elements{e("1")}}, fields{"l": elements{x("1")}}, fields{"l": elements{x("1"), e("2")}}},
		"put in front":         {fields{"l": elements{e("2"), e("1")}}, fields{"l": elements{e("1")}}, fields{"l": elements{x("1")}}, fields{"l": elements{e("2"), x("1")}}},
		"taken out":            {fields{"l": elements{e("1"), e("3")}}, fields{"l": elements{e("1"), e("2"), e("3")}}, fields{"l": elements{x("1"), x("2"), x("3")}}, fields{"l": elements{x("1"), x("3")}}},
		"changed in the midst": {fields{"l": elements{e("1"), e("9"), e("3")}}, fields{"l": elements{e("1"), e("2"), e("3")}}, fields{"l": elements{x("1"), x("2"), x("3")}}, fields{"l": elements{x("1"), e("9"), x("3")}}},
		"one of two alike":     {fields{"l": elements{e("1")}}, fields{"l": elements{e("1"), e("1")}}, fields{"l": elements{x("1"), e("1")}}, fields{"l": elements{x("1")}}},
		"none left":            {fields{"l": elements{}}, fields{"l": elements{e("1")}}, fields{"l": elements{x("1")}}, fields{"l": elements{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := itemOf(test.next)
			ddb.KeepUnchanged(got, itemOf(test.again), itemOf(test.old))
			opaque := cmpopts.IgnoreUnexported(types.AttributeValueMemberM{}, types.AttributeValueMemberL{}, types.AttributeValueMemberS{})
			if diff := cmp.Diff(itemOf(test.want), got, opaque); diff != "" {
				t.Errorf("KeepUnchanged(), difference (-want +got):\n%s", diff)
			}
		})
	}
}
