package schema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/quorate/quorate/platform/fault"
)

// MaxWork is a budget for calls of Invalid. What it allows takes some tenths of a second at most.
const MaxWork = withinWork

// Invalid returns why a value is not valid for a schema, and at which place. It takes the work from left. The result is empty if the value is valid, or
// if there is not enough left to tell. The value is as encoding/json decodes it.
func Invalid(schema map[string]any, value any, left *int) (why string) {
	w := &withinSearch{input: newDocument(schema), work: withinWork - *left}
	in := inputNode{schema: w.input.root}
	checkable := w.checkable(in, value)
	*left = withinWork - w.work
	if !checkable {
		return ""
	}
	validator := w.compiled(in)
	if validator == nil { // Check refuses such a schema
		return ""
	}
	broken, ok := errors.AsType[*jsonschema.ValidationError](validator.Validate(value))
	if !ok {
		return ""
	}
	return mistake(broken)
}

// mistake returns one of the mistakes in a value, and at which place it is.
func mistake(in *jsonschema.ValidationError) string {
	for len(in.Causes) > 0 { // down to one that says more than that the value is not valid
		in = slices.MinFunc(in.Causes, byPlace)
	}
	if more, ok := in.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(more.Properties)
	}
	return fault.ClipTo(strings.TrimPrefix(in.Error(), "at '': "), maxWhy)
}

// byPlace compares by place in the value and in the schema: a validator finds what is wrong in any order, and the same value is to be told the same.
func byPlace(a, b *jsonschema.ValidationError) int {
	place := cmp.Or(slices.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.SchemaURL, b.SchemaURL))
	if place == 0 { // names of properties have no place of their own
		return strings.Compare(a.Error(), b.Error())
	}
	return place
}
