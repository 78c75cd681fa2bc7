package schema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/schema"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("Unmarshal(%s) = %v, want no error", text, err)
	}
	return s
}

// TestWithin is the truth table: an output, an input, and why the output does not fit, or nothing when it does.
func TestWithin(t *testing.T) {
	t.Parallel()
	const tree = `{"$defs":{"n":{"type":"object","required":["v"],"properties":{"v":{"type":"%s"},"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}},"$ref":"#/$defs/n"}`
	const whole = "the same, whatever it says"
	strTree, intTree := strings.ReplaceAll(tree, "%s", "string"), strings.ReplaceAll(tree, "%s", "integer")
	for name, test := range map[string]struct{ output, input, why string }{
		"anything takes anything":                    {`{"type":"string"}`, `{}`, ""},
		"the same":                                   {`{"type":"string"}`, `{"type":"string","title":"T"}`, ""},
		"another type":                               {`{"type":"string"}`, `{"type":"number"}`, "may be a string"},
		"an integer is a number":                     {`{"type":"integer"}`, `{"type":"number"}`, ""},
		"a number is no integer":                     {`{"type":"number"}`, `{"type":"integer"}`, "may be a number"},
		"no type is any type":                        {`{}`, `{"type":"string"}`, "may be"},
		"null where none is taken":                   {`{"type":["string","null"]}`, `{"type":"string"}`, "may be null"},
		"null where it is taken":                     {`{"type":"string"}`, `{"type":["string","null"]}`, ""},
		"nullable as OpenAPI has it":                 {`{"type":"string","nullable":true}`, `{"type":"string"}`, "may be null"},
		"nullable in an alternative":                 {`{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ""},
		"a required property that is promised":       {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{"type":"object","required":["a"]}`, ""},
		"a required property that is optional":       {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","required":["a"]}`, "a: the input needs it"},
		"an optional property that is missing":       {`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		"an optional property of another type":       {`{"type":"object","properties":{"a":{"type":"number"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "a: the output may be a number"},
		"a promised property that nothing describes": {`{"type":"object","required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "a: the output may be"},
		"deep inside": {
			`{"type":"object","required":["a"],"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`,
			`{"type":"object","properties":{"a":{"type":"object","required":["b"]}}}`, "a.b: the input needs it",
		},
		"a cycle that may end": {
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]},"x":{}}}},"$ref":"#/$defs/n"}`, "",
		},
		"a cycle that may end, and does not fit": {
			`{"$defs":{"n":{"type":"object","properties":{"v":{},"kid":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]},"v":{"type":"string"}}}},"$ref":"#/$defs/n"}`, "kid: no alternative",
		},
		"a cycle through a part": {
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"allOf":[{"$ref":"#/$defs/n"}],"description":"d"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, "",
		},
		"a cycle with more beside it": {
			`{"$defs":{"n":{"type":"object","properties":{"v":{},"kid":{"$ref":"#/$defs/n","required":["v"]}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"kid":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, "",
		},
		"a cycle in which no value gets smaller": {
			`{"anyOf":[{"$ref":"#"}]}`, `{"type":"string"}`, "too complex",
		},
		"a cycle with more at its root": {
			`{"$defs":{"n":{"type":"object","properties":{"v":{},"kid":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n","required":["v"]}`,
			`{"type":"object","required":["v"],"properties":{"kid":{"$ref":"#"}}}`, "kid.v: the input needs it",
		},
		"the same reference to something else": {
			`{"$defs":{"s":{"type":"number"}},"type":"array","contains":{"$ref":"#/$defs/s"}}`,
			`{"$defs":{"s":{"type":"string"}},"type":"array","contains":{"$ref":"#/$defs/s"}}`, "contains, which is not compared",
		},
		"the same dynamic reference to something else": {
			`{"$defs":{"s":{"$dynamicAnchor":"s","type":"number"}},"type":"object","properties":{"a":{"$dynamicRef":"#s"}}}`,
			`{"$defs":{"s":{"$dynamicAnchor":"s","type":"string"}},"properties":{"a":{"$dynamicRef":"#s"}}}`, "a: the input uses $dynamicRef, which is not compared",
		},
		"the same recursive reference to something else": {
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","$defs":{"s":{"type":"number"}},"type":"object","properties":{"a":{"$recursiveRef":"#/$defs/s"}}}`,
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","$defs":{"s":{"type":"string"}},"properties":{"a":{"$recursiveRef":"#/$defs/s"}}}`,
			"a: the input uses $recursiveRef, which is not compared",
		},
		"the same reference to the same": {
			`{"$defs":{"s":{"type":"number"}},"type":"array","contains":{"$ref":"#/$defs/s"}}`,
			`{"$defs":{"s":{"type":"number"}},"type":"array","contains":{"$ref":"#/$defs/s"}}`, "",
		},
		"contained perhaps": {
			`{"type":"array","contains":{"type":"string"},"minContains":0}`,
			`{"type":"array","contains":{"type":"string"}}`, "contains, which is not compared",
		},
		"contained perhaps, and the input's draft does not know that": {
			`{"type":"array","contains":true,"minContains":0}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","contains":true,"minContains":0}`, "contains, which is not compared",
		},
		"closed in the same words": {
			`{"type":"object","properties":{"a":{},"b":{}},"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`, "b: the input takes no such property",
		},
		"closed in the same way": {
			`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`, "",
		},
		"a tuple as it was written before 2020, and a list of anything": {`{"type":"array"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}]}`, "[0]: the output may be"},
		"a pattern's property that a closed input does not take": {
			`{"type":"object","patternProperties":{"^x":{}}}`, `{"type":"object","additionalProperties":false}`, "takes no additional properties",
		},
		"a pattern's property of another type": {
			`{"type":"object","patternProperties":{"^x":{"type":"number"}}}`, `{"type":"object","properties":{"x1":{"type":"string"}}}`, "x1: the output may be a number",
		},
		"a pattern's property of another type than additional ones": {
			`{"type":"object","patternProperties":{"^x":{"type":"number"}}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be a number",
		},
		"a pattern that nobody understands": {
			`{"type":"object","patternProperties":{"(?<=x)y":{"type":"string"}}}`, `{"type":"object","properties":{"y":{"type":"string"}}}`, "y: the output may be",
		},
		"a pattern that does not fit the property": {
			`{"type":"object","patternProperties":{"^x":{"type":"number"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "",
		},
		"the same pattern on both sides": {
			`{"type":"object","patternProperties":{"^x":{"type":"number"}}}`,
			`{"type":"object","patternProperties":{"^x":{"type":"number"}},"additionalProperties":false}`, "",
		},
		"a promised property that a closed input does not take": {
			`{"type":"object","required":["a"]}`, `{"type":"object","additionalProperties":false}`, "a: the input takes no such property",
		},
		"a promised property among additional ones": {
			`{"type":"object","required":["a"],"additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "",
		},
		"patterns of two that both hold": {
			`{"type":"object","allOf":[{"patternProperties":{"^x":{}}},{"patternProperties":{"^y":{"type":"number"}}}]}`, `{"type":"object","properties":{"y":{"type":"string"}}}`, "y: the output may be a number",
		},
		"a value and a reference of the input": {
			`{"type":"object","properties":{"a":{"enum":["x"]}}}`, `{"$defs":{"s":{"allOf":[{"$ref":"#/$defs/t"}]},"t":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}}`, "",
		},
		"a value of a property with an odd name": {
			`{"type":"object","properties":{"100% a":{"enum":["x"]},"%41":{"enum":["x"]}}}`, `{"properties":{"100% a":{"type":"string"},"%41":{"type":"string"},"A":{"type":"number"}}}`, "",
		},
		"a reference that is escaped": {
			`{"$ref":"#/$defs/List%3Ca%3E","$defs":{"List<a>":{"type":"string"}}}`, `{"$ref":"#/$defs/a~1b%20c","$defs":{"a/b c":{"type":"string"}}}`, "",
		},
		"one of the input, and it takes two": {
			`{"type":"integer"}`, `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, "more than one alternative",
		},
		"one of the input by what is not compared": {
			`{"type":"string"}`, `{"oneOf":[{"type":"string"},{"type":"string","not":{"const":"a"}}]}`, "more than one alternative",
		},
		"one of the input by type": {`{"type":["string","null"]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, ""},
		"one of the input by a property's value": {
			`{"type":"object","required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"string"}}}`,
			`{"$defs":{"b":{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}},"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"enum":["a","c"]}}},{"$ref":"#/$defs/b"}]}`, "",
		},
		"one of the input by what it needs": {
			`{"type":"object","required":["a"],"properties":{"a":{}}}`, `{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, "",
		},
		"one of the input, and what both need is there perhaps": {
			`{"type":"object","required":["a"],"properties":{"a":{},"b":{}}}`,
			`{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, "more than one alternative",
		},
		"one of several for each of several": {
			`{"$defs":{"s":{"const":"s"}},"type":"object","required":["k"],"oneOf":[{"properties":{"k":{"$ref":"#/$defs/s"}}},{"properties":{"k":{"const":"t"}}}]}`,
			`{"type":"object","oneOf":[{"properties":{"k":{"const":"t"}}},{"allOf":[{"properties":{"k":{"const":"s"}}}]}]}`, "",
		},
		"one of the same": {
			`{"type":"object","required":["a"],"properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}`, "",
		},
		"one value that two of the input take":         {`{"const":1}`, `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, "does not take 1"},
		"a property that a closed input does not take": {`{"type":"object","properties":{"x":{}}}`, `{"type":"object","additionalProperties":false}`, "x: the input takes no such property"},
		"additional properties of another type": {
			`{"type":"object","properties":{"x":{"type":"number"}}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, "x: the output may be a number",
		},
		"additional of additional": {
			`{"type":"object","additionalProperties":{"type":"integer"}}`, `{"type":"object","additionalProperties":{"type":"number"}}`, "",
		},
		"items that fit":                      {`{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"number"}}`, ""},
		"items that do not":                   {`{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"number"}}`, "[]: the output may be a string"},
		"items of any kind":                   {`{"type":"array"}`, `{"type":"array","items":{"type":"number"}}`, "[]: the output may be"},
		"too few items":                       {`{"type":"array"}`, `{"type":"array","minItems":1}`, "minItems"},
		"a tuple that fits":                   {`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"}]}`, ""},
		"a tuple that does not":               {`{"type":"array","prefixItems":[{"type":"number"}]}`, `{"type":"array","prefixItems":[{"type":"string"}]}`, "[0]: the output may be a number"},
		"fewer values":                        {`{"enum":["a","b"]}`, `{"enum":["a","b","c"]}`, ""},
		"more values":                         {`{"enum":["a","d"]}`, `{"enum":["a","b"]}`, `does not take "d"`},
		"any string where values are listed":  {`{"type":"string"}`, `{"type":"string","enum":["a"]}`, "certain values only"},
		"a value against a type":              {`{"const":7}`, `{"type":"integer","minimum":7}`, ""},
		"a value against a pattern":           {`{"enum":["x1"]}`, `{"type":"string","pattern":"^[0-9]+$"}`, `does not take "x1"`},
		"bounds inside bounds":                {`{"type":"integer","minimum":1,"maximum":5}`, `{"type":"number","minimum":0,"maximum":9}`, ""},
		"no lower bound":                      {`{"type":"integer","maximum":5}`, `{"type":"integer","minimum":0}`, "below 0"},
		"a bound that is open":                {`{"type":"number","minimum":0}`, `{"type":"number","exclusiveMinimum":0}`, "no number that is 0 or below"},
		"multiples":                           {`{"type":"integer","multipleOf":6}`, `{"type":"integer","multipleOf":3}`, ""},
		"no multiples":                        {`{"type":"integer"}`, `{"type":"integer","multipleOf":3}`, "multiples of 3"},
		"a longer string":                     {`{"type":"string"}`, `{"type":"string","maxLength":5}`, "maxLength"},
		"a format that is not promised":       {`{"type":"string"}`, `{"type":"string","format":"date"}`, "format date"},
		"an alternative for each":             {`{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `{"type":["string","number"]}`, ""},
		"an alternative too many":             {`{"oneOf":[{"type":"string"},{"type":"array"}]}`, `{"type":"string"}`, "may be an array"},
		"no alternative of the input":         {`{"type":"array"}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "no alternative"},
		"all of the input":                    {`{"type":"object","required":["a","b"]}`, `{"allOf":[{"required":["a"]},{"type":"object","required":["b"]}]}`, ""},
		"not all of the input":                {`{"type":"object","required":["a"]}`, `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, "b: the input needs it"},
		"all of the output":                   {`{"allOf":[{"type":"object","required":["a"]},{"required":["b"]}]}`, `{"type":"object","required":["a","b"]}`, ""},
		"a reference of the output":           {`{"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s"}`, `{"type":"string"}`, ""},
		"a reference of the input":            {`{"type":"number"}`, `{"$defs":{"s":{"$anchor":"s","type":"string"}},"$ref":"#s"}`, "may be a number"},
		"a reference to nowhere":              {`{"$ref":"#/$defs/s"}`, `{"type":"string"}`, "leads nowhere"},
		"a reference that leads to itself":    {`{"$ref":"#"}`, `{"type":"string"}`, "the output's references have no end within 32 steps"},
		"a part that leads to itself":         {`{"allOf":[{"$ref":"#"}]}`, `{"type":"string"}`, "the output's allOf has no end within 100 levels"},
		"keywords beside a reference":         {`{"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s","maxLength":3}`, `{"type":"string","maxLength":3}`, ""},
		"a cycle that fits":                   {strTree, strTree, ""},
		"a cycle that does not":               {strTree, intTree, "v: the output may be a string"},
		"a keyword that is not compared":      {`{"type":"string"}`, `{"type":"string","not":{"const":"a"}}`, "not, which is not compared"},
		"the same keyword that is not either": {`{"type":"string","not":{"const":"a"}}`, `{"type":"string","not":{"const":"a"}}`, ""},
		"an integer is no string":             {`{"type":"integer"}`, `{"type":"string"}`, "may be an integer"},
		"the same pattern":                    {`{"type":"string","pattern":"^a"}`, `{"type":"string","pattern":"^a"}`, ""},
		"a string that is long enough":        {`{"type":"string","minLength":2}`, `{"type":"string","minLength":1}`, ""},
		"a string that is too short":          {`{"type":"string","minLength":1}`, `{"type":"string","minLength":2}`, "minLength"},
		"a string of any length":              {`{"type":"string"}`, `{"type":"string","minLength":0}`, ""},
		"a string that is too long":           {`{"type":"string","maxLength":9}`, `{"type":"string","maxLength":5}`, "maxLength"},
		"a string that is short enough":       {`{"type":"string","maxLength":5}`, `{"type":"string","maxLength":5}`, ""},
		"the same lower bound":                {`{"type":"number","minimum":0}`, `{"type":"number","minimum":0}`, ""},
		"a bound above an open one":           {`{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":0}`, ""},
		"no upper bound":                      {`{"type":"number"}`, `{"type":"number","maximum":5}`, "above 5"},
		"the same upper bound":                {`{"type":"number","maximum":5}`, `{"type":"number","maximum":5}`, ""},
		"an upper bound that is open":         {`{"type":"number","maximum":5}`, `{"type":"number","exclusiveMaximum":5}`, "no number that is 5 or above"},
		"an upper bound below an open one":    {`{"type":"number","maximum":4}`, `{"type":"number","exclusiveMaximum":5}`, ""},
		"the tighter of the output's bounds":  {`{"type":"number","minimum":5,"exclusiveMinimum":0}`, `{"type":"number","minimum":5}`, ""},
		"the tighter of the input's bounds":   {`{"type":"number","minimum":0}`, `{"type":"number","minimum":0,"exclusiveMinimum":0}`, "no number that is 0 or below"},
		"integers are multiples of one":       {`{"type":"integer"}`, `{"type":"integer","multipleOf":1}`, ""},
		"numbers are no multiples of one":     {`{"type":"number"}`, `{"type":"number","multipleOf":1}`, "multiples of 1"},
		"a tuple that is shorter":             {`{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{},{"type":"number"}]}`, "[1]: the output may be"},
		"a tuple that is longer":              {`{"type":"array","prefixItems":[{"type":"string"},{}]}`, `{"type":"array","prefixItems":[{"type":"string"}]}`, ""},
		"a tuple that is longer than it may":  {`{"type":"array","prefixItems":[{},{"type":"string"}]}`, `{"type":"array","prefixItems":[{}],"items":{"type":"number"}}`, "[1]: the output may be a string"},
		"a tuple and nothing behind it":       {`{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, ""},
		"a tuple with a value":                {`{"type":"array","prefixItems":[{"const":"a"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, ""},
		"an additional one that is named":     {`{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "a: the output may be a number"},
		"additional of another type":          {`{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be a number"},
		"a named one and additional ones":     {`{"type":"object","properties":{"a":{"type":"number"}}}`, `{"type":"object","properties":{"a":{"type":"number"}},"additionalProperties":{"type":"string"}}`, ""},
		"a property that never is":            {`{"type":"object","properties":{"a":false,"b":false},"patternProperties":{"^x":false}}`, `{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}`, ""},
		"a property of any kind":              {`{"type":"object","properties":{"a":true}}`, `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`, "a: no alternative"},
		"two parts about a property":          {`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"minLength":2}}}]}`, `{"type":"object","properties":{"a":{"type":"string","minLength":2}}}`, ""},
		"two parts about the type":            {`{"allOf":[{"type":"number"},{"type":"integer"}]}`, `{"type":"integer"}`, ""},
		"a reference of the input to nowhere": {`{"type":"string"}`, `{"$ref":"#/$defs/s"}`, "the input's reference #/$defs/s leads nowhere"},
		"a reference to elsewhere":            {`{"$defs":{"s":{"type":"string"}},"$ref":"x:y#/$defs/s"}`, `{"type":"string"}`, "leads nowhere"},
		"a value and an anchor of the input": {
			`{"type":"object","properties":{"a":{"const":"x"}}}`, `{"$defs":{"s":{"$anchor":"s","type":"string"}},"properties":{"a":{"$ref":"#s"}}}`, "",
		},
		"one of the input, and the other takes nothing": {`{"type":"string"}`, `{"oneOf":[{"type":"string"},false]}`, ""},
		"one of the input, and it takes two in parts":   {`{"type":"string"}`, `{"oneOf":[{"type":"string"},{"allOf":[{"type":"string"}]}]}`, "more than one alternative"},
		"one of the input, of which one is for objects": {`{"type":"string"}`, `{"oneOf":[{"type":"string"},{"required":["x"]}]}`, "more than one alternative"},
		"one of the input by a value that both take": {
			`{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}}`,
			`{"oneOf":[{"type":"object","properties":{"k":{"enum":["a","c"]}}},{"type":"object","properties":{"k":{"enum":["a","b"]}}}]}`, "more than one alternative",
		},
		"one of the input by what the output has perhaps": {
			`{"type":"object","required":["a"],"properties":{"a":{}},"if":{},"then":{"properties":{"b":{}}}}`,
			`{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, "more than one alternative",
		},
		"the same alternative twice": {
			`{"$defs":{"n":{"type":"number"}},"type":"object","properties":{"a":{"$ref":"#/$defs/n"}}}`,
			`{"$defs":{"s":{"type":"string"}},"anyOf":[{"properties":{"a":{"$ref":"#/$defs/s"}}},{"properties":{"a":{"$ref":"#/$defs/s"}}}]}`, "no alternative",
		},
		"references in a list that is not compared": {
			`{"$defs":{"s":{"const":"a"}},"type":"string","not":{"anyOf":[{"$ref":"#/$defs/s"}]}}`,
			`{"$defs":{"s":{"const":"b"}},"type":"string","not":{"anyOf":[{"$ref":"#/$defs/s"}]}}`, "not, which is not compared",
		},
		"the same references in such a list": {
			`{"$defs":{"s":{"const":"a"}},"type":"string","not":{"anyOf":[{"$ref":"#/$defs/s"}]}}`,
			`{"$defs":{"s":{"const":"a"}},"type":"string","not":{"anyOf":[{"$ref":"#/$defs/s"}]}}`, "",
		},
		"a reference behind one that is not compared": {
			`{"$defs":{"s":{"items":{"$ref":"#/$defs/t"}},"t":{"const":"a"}},"type":"array","not":{"$ref":"#/$defs/s"}}`,
			`{"$defs":{"s":{"items":{"$ref":"#/$defs/t"}},"t":{"const":"b"}},"type":"array","not":{"$ref":"#/$defs/s"}}`, "not, which is not compared",
		},
		"a property with the name of a reference": {
			`{"$defs":{"s":{"const":"a"}},"type":"object","not":{"properties":{"$ref":{"$ref":"#/$defs/s"}}}}`,
			`{"$defs":{"s":{"const":"b"}},"type":"object","not":{"properties":{"$ref":{"$ref":"#/$defs/s"}}}}`, "not, which is not compared",
		},
		"a cycle that is not compared": {
			`{"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}},"type":"string","not":{"$ref":"#/$defs/n"}}`,
			`{"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}},"type":"string","not":{"$ref":"#/$defs/n"}}`, "",
		},
		"a reference that depends on who refers": {
			`{"type":"string","not":{"$dynamicRef":"#s"}}`, `{"type":"string","not":{"$dynamicRef":"#s"}}`, "not, which is not compared",
		},
		"keywords that restrict nothing": {
			`{"type":"string"}`, `{"type":"string","example":"a","x-order":1,"contentMediaType":"text/plain","discriminator":{"propertyName":"k"}}`, "",
		},
		"a property of two alternatives that both hold": {
			`{"type":"object","allOf":[{"anyOf":[{"properties":{"a":{}}}]},{"anyOf":[{"properties":{"b":{"type":"string"}}}]}]}`,
			`{"type":"object","properties":{"b":{"type":"number"}}}`, "b: the output may be a string",
		},
		"one of two lists of alternatives that both hold": {
			`{"oneOf":[{"type":"string"},{"type":"number"}],"allOf":[{"oneOf":[{"type":"number"},{"type":"boolean"}]}]}`, `{"type":"number"}`, "",
		},
		"a property that the output has perhaps": {
			`{"type":"object","properties":{"k":{}},"if":{"required":["k"]},"then":{"properties":{"x":{"type":"number"}}}}`,
			`{"type":"object","properties":{"x":{"type":"string"}}}`, "x: the output may be",
		},
		"a property that a closed input does not take, and the output has perhaps": {
			`{"type":"object","properties":{"k":{}},"dependentSchemas":{"k":{"allOf":[{"properties":{"x":{}}}]}}}`,
			`{"type":"object","properties":{"k":{}},"additionalProperties":false}`, "x: the input takes no such property",
		},
		"properties that are not known": {
			`{"$defs":{"x":{"properties":{"x":{}}}},"type":"object","if":{},"then":{"$ref":"#/$defs/x"}}`,
			`{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be",
		},
		"a property that another one needs": {
			`{"type":"object","properties":{"k":{}},"dependentRequired":{"k":["x"]}}`,
			`{"type":"object","properties":{"x":{"type":"string"}}}`, "x: the output may be",
		},
		"a property that no condition is about": {
			`{"type":"object","properties":{"k":{}},"if":{"properties":{"k":{"const":1}}},"then":{"required":["k"]}}`,
			`{"type":"object","properties":{"x":{"type":"string"}}}`, "",
		},
		"a condition about what has a type": {
			`{"type":"object","if":{"required":["x"]},"then":{"properties":{"x":{}}},"additionalProperties":{"type":"string"}}`,
			`{"type":"object","additionalProperties":{"type":"string"}}`, "",
		},
		"a reference that depends on the value": {
			`{"$defs":{"s":{"$dynamicAnchor":"s","properties":{"x":{"type":"number"}}}},"type":"object","$dynamicRef":"#s"}`,
			`{"type":"object","properties":{"x":{"type":"string"}}}`, "x: the output may be",
		},
		"a property that nothing else describes": {
			`{"type":"object","unevaluatedProperties":{"type":"number"}}`, `{"type":"object","properties":{"x":{"type":"string"}}}`, "x: the output may be a number",
		},
		"all properties that nothing else describes": {
			`{"type":"object","unevaluatedProperties":{"type":"number"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be a number",
		},
		"two lists that contain something": {
			`{"type":"array","allOf":[{"contains":{"type":"string"}},{"contains":{"type":"number"},"minContains":2}]}`,
			`{"type":"array","contains":{"type":"string"},"minContains":2}`, "contains, which is not compared",
		},
		"two conditions": {
			`{"type":"string","allOf":[{"if":{"minLength":1},"then":{"maxLength":3}},{"if":{"minLength":5},"else":{"maxLength":1}}]}`,
			`{"type":"string","if":{"minLength":1},"else":{"maxLength":1}}`, "else, which is not compared",
		},
		"a value and what the input says beside a reference": {
			`{"type":"object","required":["a"],"properties":{"a":{"enum":["x"]}}}`,
			`{"$defs":{"o":{"type":"object"}},"$ref":"#/$defs/o","properties":{"a":{"type":"string"}}}`, "",
		},
		"certain values beside a reference of the input": {
			`{"const":"x"}`, `{"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s","enum":["x","y"],"allOf":[{"minLength":1}]}`, "",
		},
		"a reference of the input that does not fit beside what does": {
			`{"type":"string"}`, `{"$defs":{"s":{"type":"string","maxLength":3}},"$ref":"#/$defs/s","minLength":0}`, "maxLength is 3",
		},
		"one of the input by a reference with more beside it": {
			`{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}}`,
			`{"$defs":{"b":{"properties":{"k":{"const":"b"}}}},"oneOf":[{"properties":{"k":{"const":"a"}}},{"$ref":"#/$defs/b","required":["k"]}]}`, "",
		},
		"what is beside a reference to anything": {
			`{"$defs":{"any":true},"$ref":"#/$defs/any","type":"object","properties":{"a":{"type":"number"}}}`, `{"properties":{"a":{"type":"string"}}}`, "a: the output may be a number",
		},
		"what is beside a reference to anything, and fits": {
			`{"$defs":{"any":true},"$ref":"#/$defs/any","type":"string"}`, `{"type":"string"}`, "",
		},
		"references to what never is": {
			`{"$defs":{"none":false},"type":"object","properties":{"a":{"$ref":"#/$defs/none"},"b":{"allOf":[{"$ref":"#/$defs/none"}]}}}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, "",
		},
		"keywords beside a reference before 2019": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s","maxLength":3}}}`,
			`{"properties":{"a":{"type":"string","maxLength":3}}}`, "a: the input's maxLength is 3",
		},
		"keywords beside a reference of the input before 2019": {
			`{"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s","maxLength":3}}}`, "",
		},
		"a value beside a reference of the input before 2019": {
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"const":"x"}}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s","const":"x"},"b":{"$ref":"#/definitions/s","const":"x"}}}`,
			"a: the input takes certain values only",
		},
		"a keyword that is newer than the output's draft": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","prefixItems":[{"type":"string"}]}`,
			`{"type":"array","prefixItems":[{"type":"string"}]}`, "[0]: the output may be",
		},
		"a keyword that is not compared, of another draft": {
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","uniqueItems":true,"not":{"prefixItems":[{"type":"string"}]}}`,
			`{"type":"array","uniqueItems":true,"not":{"prefixItems":[{"type":"string"}]}}`, "not, which is not compared",
		},
		"an open bound of draft 4": {
			`{"type":"number","minimum":5,"maximum":6}`,
			`{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":5,"exclusiveMinimum":true}`, "no number that is 5 or below",
		},
		"an open upper bound of draft 4": {
			`{"type":"number","minimum":5,"maximum":6}`,
			`{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","maximum":6,"exclusiveMaximum":true}`, "no number that is 6 or above",
		},
		"a bound of draft 4 that is not open": {
			`{"type":"number","minimum":5}`,
			`{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":5,"exclusiveMinimum":false}`, "",
		},
		"a part of the output with an identifier": {
			`{"$defs":{"a":{"$id":"x:y","$defs":{"s":{"type":"number"}},"properties":{"v":{"$ref":"#/$defs/s"}}},"s":{"type":"string"}},"$ref":"#/$defs/a"}`,
			`{"properties":{"v":{"type":"string"}}}`, "is not followed, since parts",
		},
		"a part of the input with an identifier": {
			`{"type":"object","properties":{"v":{"type":"string"}}}`,
			`{"$defs":{"a":{"$id":"x:y","$defs":{"s":{"type":"number"}},"properties":{"v":{"$ref":"#/$defs/s"}}},"s":{"type":"string"}},"$ref":"#/$defs/a"}`, "is not followed, since parts",
		},
		"an anchor in a value": {
			`{"type":"string"}`, `{"default":{"$anchor":"s","type":"string"},"$ref":"#s","definitions":{"s":{"$anchor":"s","type":"number"}}}`, "leads nowhere, or to several",
		},
		"an anchor in a keyword that nobody knows": {
			`{"a":{"$anchor":"s","type":"string"},"$ref":"#s","$defs":{"s":{"$anchor":"s","type":"number"}}}`, `{"type":"string"}`, "leads nowhere, or to several",
		},
		"integers above an open bound":        {`{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":1}`, ""},
		"integers below an open bound":        {`{"type":"integer","exclusiveMaximum":10}`, `{"type":"integer","maximum":9}`, ""},
		"integers above an open bound by one": {`{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":2}`, "no number below 2"},
		"integers above an open fraction":     {`{"type":"integer","exclusiveMinimum":2.5}`, `{"type":"integer","minimum":4}`, "no number below 4"},
		"integers below an open bound by one": {`{"type":"integer","exclusiveMaximum":10}`, `{"type":"integer","maximum":8}`, "no number above 8"},
		"integers above a bound between two":  {`{"type":"integer","minimum":-1.5,"maximum":1.5}`, `{"type":"number","minimum":-1,"maximum":1}`, ""},
		"numbers above an open bound":         {`{"type":"number","exclusiveMinimum":0}`, `{"type":"number","minimum":1}`, "no number below 1"},
		"a boolean where both are listed":     {`{"type":["boolean","null"]}`, `{"enum":["a",true,false,null]}`, ""},
		"a boolean where one is listed":       {`{"type":"boolean"}`, `{"const":true}`, "does not take false"},
		"null where it is listed":             {`{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"const":null}]}`, ""},
		"null where OpenAPI's nullable takes it": {
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"const":null}}}`,
			`{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":["string"],"nullable":true}}}`, "",
		},
		"properties named type and nullable": {
			`{"type":"object","properties":{"type":{"const":null},"nullable":{}}}`,
			`{"type":"object","properties":{"type":{"type":"string"},"nullable":true}}`, "type: the input does not take",
		},
		"properties named as keywords that have values": {
			`{"type":"object","properties":{"default":{"type":"string","nullable":true}}}`,
			`{"type":"object","properties":{"default":{"type":"string"}}}`, "default: the output may be null",
		},
		"null for properties named as keywords": {
			`{"type":"object","properties":{"examples":{"type":"null"},"properties":{"type":"null"}}}`,
			`{"type":"object","properties":{"examples":{"type":"string","nullable":true},"properties":{"type":"object","nullable":true}}}`, "",
		},
		"a value that looks like a schema that may be null": {
			`{"type":"object","properties":{"a":{"const":{"type":"a","nullable":true}},"b":{"type":"null","nullable":true}}}`,
			`{"type":"object","properties":{"a":{"enum":[{"type":"a","nullable":true}]},"b":{"type":["null"],"nullable":true}}}`, "",
		},
		whole: {
			`{"oneOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"},"x":{}}}],"unevaluatedProperties":false}`,
			`{"oneOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"},"x":{}}}],"unevaluatedProperties":false}`, "",
		},
		"the same inside": {
			`{"$defs":{"s":{"oneOf":[{"required":["a"]},{"required":["b"]}],"unevaluatedProperties":false}},"type":"object","properties":{"a":{"$ref":"#/$defs/s"},"b":{}}}`,
			`{"$defs":{"s":{"oneOf":[{"required":["a"]},{"required":["b"]}],"unevaluatedProperties":false}},"type":"object","properties":{"a":{"$ref":"#/$defs/s"}}}`, "",
		},
		"the same inside but for a reference": {
			`{"$defs":{"s":{"oneOf":[{"$ref":"#/$defs/t"}],"unevaluatedProperties":false},"t":{"properties":{"x":{}}}},"type":"object","properties":{"a":{"$ref":"#/$defs/s"},"b":{}}}`,
			`{"$defs":{"s":{"oneOf":[{"$ref":"#/$defs/t"}],"unevaluatedProperties":false},"t":{"properties":{"y":{}}}},"type":"object","properties":{"a":{"$ref":"#/$defs/s"}}}`,
			"a: ",
		},
		"a keyword about another type": {
			`{"type":"string"}`, `{"type":["string","array","object"],"uniqueItems":true,"minProperties":1}`, "",
		},
		"a keyword about one of the types": {
			`{"type":["string","array"]}`, `{"type":["string","array","object"],"uniqueItems":true,"minProperties":1}`, "uniqueItems, which is not compared",
		},
		"as many properties as are required": {
			`{"type":"object","required":["a","b","a"]}`, `{"type":"object","minProperties":2}`, "",
		},
		"fewer properties than are needed": {
			`{"type":"object","required":["a","b","a"]}`, `{"type":"object","minProperties":3}`, "minProperties is 3",
		},
		"numbers of properties": {
			`{"type":"object","allOf":[{"minProperties":2,"maxProperties":5},{"minProperties":1,"maxProperties":3}]}`, `{"type":"object","minProperties":2,"maxProperties":3}`, "",
		},
		"more properties than are taken": {
			`{"type":"object","maxProperties":4}`, `{"type":"object","maxProperties":3}`, "maxProperties is 3",
		},
		"a tuple as it was written before 2020": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`,
			`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, "",
		},
		"a tuple for one as it was written before 2020": {
			`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"},{"type":"number"}],"additionalItems":false}`, "",
		},
		"the rest of a tuple as it was written before 2020": {
			`{"type":"array","prefixItems":[{"type":"string"}]}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}],"additionalItems":{"type":"number"}}`, "[]: the output may be",
		},
		"a value for a tuple as it was written before 2020": {
			`{"type":"array","prefixItems":[{"const":"a"}],"items":{"const":"b"}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}],"additionalItems":{"type":"number"}}`, "[]: the input does not take",
		},
		"a keyword that is newer than the input's draft": {
			`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, "[0]: the output may be a string",
		},
		"other items than a list's": {
			`{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"},"additionalItems":{"type":"number"}}`, "",
		},
		"multiples of fractions":                    {`{"type":"number","multipleOf":0.1}`, `{"type":"number","multipleOf":0.01}`, ""},
		"no multiples of fractions":                 {`{"type":"number","multipleOf":0.1}`, `{"type":"number","multipleOf":0.03}`, "multiples of 0.03"},
		"integers that are multiples of a fraction": {`{"type":"integer","multipleOf":0.3}`, `{"type":"number","multipleOf":0.5}`, ""},
		"keywords that say nothing": {
			`{"type":["array","object"]}`,
			`{"type":["array","object"],"uniqueItems":false,"unevaluatedItems":true,"unevaluatedProperties":true,"propertyNames":true,"if":{"minItems":1},"maxContains":1,"minProperties":0}`, "",
		},
		"schemas that say nothing": {
			`{"type":["array","object"],"properties":{"b":{}}}`,
			`{"type":["array","object"],"unevaluatedItems":{},"unevaluatedProperties":{"title":"T"},"anyOf":[{}],"propertyNames":{}}`, "",
		},
		"names that are texts": {
			`{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{"type":"number"}}`, "",
		},
		"names that are short texts": {
			`{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","propertyNames":{"type":"string","maxLength":3}}`, "propertyNames, which is not compared",
		},
		"names that cannot be": {
			`{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","propertyNames":{"type":"number"}}`, "propertyNames, which is not compared",
		},
		"a branch without a condition": {`{"type":"array"}`, `{"type":"array","then":{"minItems":1}}`, ""},
		"a condition":                  {`{"type":"array"}`, `{"type":"array","if":{"minItems":1},"then":{"minItems":2}}`, "if, which is not compared"},
		"what the input excludes is never there": {
			`{"type":"object","properties":{"a":{}}}`, `{"type":"object","not":{"required":["b"]}}`, "",
		},
		"what the input excludes is there perhaps": {
			`{"type":"object","properties":{"a":{}}}`, `{"type":"object","not":{"required":["a"]}}`, "not, which is not compared",
		},
		"unevaluated properties that are additional": {
			`{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"integer"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":{"type":"number"}}`, "",
		},
		"an unevaluated property of another type": {
			`{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":{"type":"number"}}`, "b: the output may be a string",
		},
		"unevaluated properties beside what describes some": {
			`{"type":"object","properties":{"a":{},"b":{}}}`,
			`{"type":"object","properties":{"a":{}},"allOf":[{"properties":{"b":{}}}],"unevaluatedProperties":false}`, "unevaluatedProperties, which is not compared",
		},
		"a property of a pattern's that is named too": {
			`{"type":"object","properties":{"x":{}},"patternProperties":{"^x":{"type":"object","properties":{"n":{"type":"number"}}}}}`,
			`{"type":"object","properties":{"x":{"properties":{"n":{"type":"string"}}}}}`, "x.n: the output may be a number",
		},
		"two parts about items": {
			`{"type":"array","allOf":[{"items":{"type":"object"}},{"items":{"properties":{"n":{"type":"number"}}}}]}`,
			`{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}}}}`, "[].n: the output may be a number",
		},
		"two parts about the first items": {
			`{"type":"array","allOf":[{"prefixItems":[{}]},{"prefixItems":[{},{"type":"string"}],"items":{"type":"number"}}]}`,
			`{"type":"array","prefixItems":[{},{"type":"number"}]}`, "[1]: the output may be a string",
		},
		"two parts about the first items that fit together": {
			`{"type":"array","allOf":[{"prefixItems":[{},{"type":"string"}],"items":{}},{"prefixItems":[{}],"items":{"type":"number"}}]}`,
			`{"type":"array","prefixItems":[{},{"type":"string"}],"items":{"type":"number"}}`, "",
		},
		"two conditions of which the second has a property": {
			`{"type":"object","allOf":[{"if":{"minProperties":1},"then":{"properties":{"a":{}}}},{"if":{"minProperties":1},"then":{"properties":{"b":{"type":"number"}}}}]}`,
			`{"properties":{"b":{"type":"string"}}}`, "b: the output may be",
		},
		"two parts about dependent properties of which the second has one": {
			`{"type":"object","properties":{"a":{}},"allOf":[{"dependentSchemas":{"a":{}}},{"dependentSchemas":{"a":{"properties":{"b":{"type":"number"}}}}}]}`,
			`{"properties":{"b":{"type":"string"}}}`, "b: the output may be",
		},
		"three parts about what properties need": {
			`{"type":"object","properties":{"a":{}},"allOf":[{"dependentRequired":{"a":[]}},{"dependentRequired":{"a":["b"]}},{"dependentRequired":{"a":["c"]}}]}`,
			`{"properties":{"c":{"type":"string"}}}`, "c: the output may be",
		},
		"two conditions beside unevaluated properties": {
			`{"type":"object","allOf":[{"if":{"minProperties":1}},{"if":{"minProperties":1},"then":{"properties":{"b":{}}}}],"unevaluatedProperties":false}`,
			`{"type":"object","if":{"minProperties":1},"unevaluatedProperties":false}`, "unevaluatedProperties, which is not compared",
		},
		"unevaluated properties that a part describes": {
			`{"type":"object","allOf":[{"unevaluatedProperties":{"type":"number"}}],"unevaluatedProperties":{"type":"string"}}`,
			`{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be a number",
		},
		"unevaluated properties that a part takes": {
			`{"type":"object","allOf":[{"additionalProperties":true}],"unevaluatedProperties":{"type":"string"}}`,
			`{"type":"object","additionalProperties":{"type":"string"}}`, "*: the output may be",
		},
		"no unevaluated properties, as two parts say": {
			`{"type":"object","properties":{"a":{}},"allOf":[{"properties":{"a":{}},"unevaluatedProperties":false}],"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, "",
		},
		"unevaluated items of which two parts say some": {
			`{"type":"array","allOf":[{"contains":{"type":"string"}},{"contains":{"type":"number"}}],"unevaluatedItems":false}`,
			`{"type":"array","contains":{"type":"string"},"unevaluatedItems":false}`, "unevaluatedItems, which is not compared",
		},
		"unevaluated items of which two parts say some, as it was written before 2020": {
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","allOf":[{"items":[{}]},{"items":[{},{}]}],"unevaluatedItems":false}`,
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","items":[{}],"unevaluatedItems":false}`, "unevaluatedItems, which is not compared",
		},
		"unevaluated properties that another alternative describes": {
			`{"type":"object","anyOf":[{"properties":{"a":{"type":"number"}}},{"properties":{"b":{}}}],"unevaluatedProperties":{"type":"string"}}`,
			`{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"object","properties":{"a":{"type":"string"}}}]}`, "no alternative",
		},
		"unevaluated properties that no alternative describes": {
			`{"type":"object","anyOf":[{"properties":{"a":{"type":"number"}}},{"properties":{"a":{}}}],"unevaluatedProperties":{"type":"string"}}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"string"}}`, "",
		},
		"no unevaluated properties beside several alternatives": {
			`{"type":"object","required":["p"],"anyOf":[{"patternProperties":{"^x":{}}},{"patternProperties":{"^p":{}}}],"unevaluatedProperties":false}`,
			`{"anyOf":[{"type":"object","required":["p"],"patternProperties":{"^x":{}},"unevaluatedProperties":false},{"type":"object","required":["p"],"patternProperties":{"^p":{}},"unevaluatedProperties":false}]}`,
			"no alternative",
		},
		"two parts about additional properties": {
			`{"type":"object","allOf":[{"additionalProperties":{"type":"object"}},{"additionalProperties":{"properties":{"n":{"type":"number"}}}}]}`,
			`{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"string"}}}}`, "*.n: the output may be a number",
		},
		"a limit that is none": {
			`{"type":"array","maxItems":1e300}`, `{"type":"array","items":{"type":"string"}}`, "[]: the output may be",
		},
		"the largest integer as a limit": {
			`{"type":["array","string"]}`, `{"type":["array","string"],"maxItems":9223372036854775807,"maxLength":9223372036854775807}`, "",
		},
		"a value within the largest integer": {
			`{"const":["a"]}`, `{"maxItems":9223372036854775807}`, "",
		},
		"a property named as a limit": {
			`{"type":"object","properties":{"maxItems":{"const":1e300}}}`, `{"type":"object","properties":{"maxItems":{"type":"string"}}}`, "maxItems: the input does not take",
		},
		"two parts about items that fit together": {
			`{"type":"array","allOf":[{"items":{"type":"string"}},{"items":{"maxLength":3}}]}`, `{"type":"array","items":{"type":"string","maxLength":3}}`, "",
		},
		"null as a value":             {`{"const":null}`, `{"type":"string"}`, "does not take null"},
		"a list as a value":           {`{"const":[null,{"a":1}]}`, `{"type":"string"}`, `does not take [null,{"a":1}]`},
		"a bound that is lower":       {`{"type":"string","minLength":1}`, `{"type":"string","minLength":2}`, "the input's minLength is 2, and the output's is lower"},
		"a lower bound that is none":  {`{"type":"string"}`, `{"type":"string","minLength":2}`, "the input's minLength is 2, and the output has none"},
		"a bound that is higher":      {`{"type":"string","maxLength":3}`, `{"type":"string","maxLength":2}`, "the input's maxLength is 2, and the output's is higher"},
		"an upper bound that is none": {`{"type":"string"}`, `{"type":"string","maxLength":2}`, "the input's maxLength is 2, and the output has none"},
		"nothing is taken":            {`{"type":"object","required":["a"],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":false}}`, "a: the input takes nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, input, want := parse(t, test.output), parse(t, test.input), parse(t, test.input)
			if test.output == test.input && name != whole { // or nothing in them would be compared
				input["title"], want["title"] = "an input", "an input"
			}
			ok, why := schema.Within(output, input)
			if ok != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("Within(%s, %s) = %v, %q, want %q", test.output, test.input, ok, why, test.why)
			}
			if !reflect.DeepEqual(output, parse(t, test.output)) || !reflect.DeepEqual(input, want) {
				t.Errorf("Within(%s, %s) leaves %v and %v, want them as they were", test.output, test.input, output, input)
			}
		})
	}
}

func TestWithinEndsForWhateverIsGiven(t *testing.T) {
	t.Parallel()
	deep := `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"array","items":{"$ref":"#"}},{"$ref":"#/properties/a"}]}}}`
	loop := `{"allOf":[{"$ref":"#"}]}`
	for _, pair := range [][2]string{{deep, deep}, {loop, deep}, {deep, loop}, {loop, loop}, {`{}`, deep}} {
		output, input := parse(t, pair[0]), parse(t, pair[1])
		input["title"] = "an input" // or two that are the same would not be compared
		if _, why := schema.Within(output, input); why == "" {
			t.Errorf("Within(%s, %s) = no reason, want one", pair[0], pair[1])
		}
	}
}

func TestAReasonIsShortWhateverIsGiven(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("name%d", i))
	}
	required := map[string]any{"type": "object", "required": texts(names)}
	wanted := map[string]any{"required": texts(names)}
	long := map[string]any{"type": "object", "properties": map[string]any{strings.Repeat("x", 9000): map[string]any{"type": "string"}}}
	for name, pair := range map[string][2]map[string]any{"fits": {required, wanted}, "does not": {long, {"type": "object", "additionalProperties": false}}} {
		if ok, why := schema.Within(pair[0], pair[1]); ok != (name == "fits") || why == "" || len(why) > 1000 {
			t.Errorf("%s: Within() = %v and a reason of %d bytes, want one of at most 1000", name, ok, len(why))
		}
	}
}

func texts(list []string) (out []any) {
	for _, text := range list {
		out = append(out, text)
	}
	return out
}

// TestAReasonIsTheSameEachTime has an output of which several properties do not fit: the same one is named.
func TestAReasonIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	output := parse(t, `{"type":"object","properties":{"k":{},"l":{},"m":{}},"dependentSchemas":{
		"k":{"properties":{"x":{}}},"l":{"properties":{"y":{}}},"m":{"properties":{"z":{}}}}}`)
	input := parse(t, `{"type":"object","properties":{"k":{},"l":{},"m":{}},"additionalProperties":false}`)
	for range 50 {
		if _, why := schema.Within(output, input); why != "x: the input takes no such property" {
			t.Fatalf("Within() = %q, want that x is not taken", why)
		}
	}
}
