package router_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// strict requires a spec and a page, and may have a size.
func strict() registry.Agent {
	a := agent("strict", registry.StatusAvailable)
	a.Metadata.InputSchemas = []agentcard.InputSchema{
		{Name: "spec", SemanticType: "document", Required: true, ValidationRules: []agentcard.ValidationRule{
			{Type: "length", Value: 12.0, Message: "Keep the spec short."}, {Type: "pattern", Value: "^[A-Z]", Message: "Begin with a capital."},
		}},
		{Name: "page", SemanticType: "reference", Required: true, ValidationRules: []agentcard.ValidationRule{
			{Type: "format", Value: "url", Message: "Give a URL."}, {Type: "pattern", Value: "[^.)]$", Message: "Leave out what follows."},
		}},
		{Name: "size", SemanticType: "comment", ValidationRules: []agentcard.ValidationRule{{Type: "enum", Value: []any{"small", "large"}, Message: "small or large"}}},
	}
	return a
}

func input(name, kind, value string) orchestrator.Input {
	return orchestrator.Input{Name: name, SemanticType: kind, Parts: []*a2apb.Part{textPart(value)}}
}

func orderFile(s string) *a2apb.Part {
	return &a2apb.Part{Filename: "order", Content: &a2apb.Part_Text{Text: s}}
}

func textPart(s string) *a2apb.Part { return &a2apb.Part{Content: &a2apb.Part_Text{Text: s}} }

func data(t *testing.T, v any) *a2apb.Part {
	t.Helper()
	s, err := structpb.NewValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return &a2apb.Part{Content: &a2apb.Part_Data{Data: s}}
}

// TestInputsAreValidForTheirJSONSchemas gives an agent an order in the forms that callers have for it.
func TestInputsAreValidForTheirJSONSchemas(t *testing.T) {
	t.Parallel()
	a := agent("shop", registry.StatusAvailable)
	a.Metadata.InputSchemas = []agentcard.InputSchema{{Name: "order", SemanticType: "document", JSONSchema: map[string]any{
		"type": "object", "required": []any{"item"}, "properties": map[string]any{"item": map[string]any{"type": "string"}},
	}}}
	good, bad := data(t, map[string]any{"item": "tea"}), data(t, map[string]any{"item": 7})
	order := func(parts ...*a2apb.Part) []orchestrator.Input {
		return []orchestrator.Input{{Name: "order", Parts: parts}}
	}
	tests := map[string]struct {
		inputs []orchestrator.Input
		parts  []*a2apb.Part
		says   string
	}{
		"data":                         {inputs: order(good)},
		"JSON as a text":               {inputs: order(textPart(`{"item": "tea"}`))},
		"a field of a data part":       {parts: []*a2apb.Part{data(t, map[string]any{"order": map[string]any{"item": "tea"}})}},
		"a URL, which leads elsewhere": {inputs: order(textPart("https://shop.example/orders/1"))},
		"several parts":                {inputs: order(textPart("my order"), good)},
		"a named part":                 {parts: []*a2apb.Part{orderFile(`{"item": "tea"}`)}},
		"several named parts":          {parts: []*a2apb.Part{orderFile(`{"item": `), orderFile(`7}`)}},
		"a wrong named part":           {parts: []*a2apb.Part{orderFile(`{"item": 7}`)}, says: "at '/item': got number, want string"},
		"another type":                 {inputs: order(bad), says: "at '/item': got number, want string"},
		"what is required is missing":  {inputs: order(data(t, map[string]any{})), says: "missing property 'item'"},
		"a text that is no JSON":       {inputs: order(textPart("tea, please")), says: "got string, want object"},
		"an empty text":                {inputs: order(textPart("")), says: "got string, want object"},
		"a wrong field of a data part": {parts: []*a2apb.Part{data(t, map[string]any{"order": []any{}})}, says: "got array, want object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newRouter(a).CheckInputs(tenant, a, test.inputs, &a2apb.Message{Parts: test.parts})
			want, says := "INPUT_INVALID", `input "order": it is not valid for the agent's JSON Schema: `+test.says
			if test.says == "" {
				want, says = "", ""
			}
			if got := fault.ReasonOf(err); got != want || err != nil && fault.From(err).Message != says {
				t.Errorf("CheckInputs() = %v, want %s: %s", err, want, says)
			}
		})
	}
}

// TestDataIsNoTextToAJSONSchema has schemas that any text conforms to, as one without a type does that says what an object has.
func TestDataIsNoTextToAJSONSchema(t *testing.T) {
	t.Parallel()
	object := map[string]any{"required": []any{"item"}}
	text := map[string]any{"type": "string"}
	tests := map[string]struct {
		schema map[string]any
		value  any
		says   string
	}{
		"an object without what is required": {object, map[string]any{"other": "tea"}, "missing property 'item'"},
		"an object with it":                  {object, map[string]any{"item": "tea"}, ""},
		"a list":                             {map[string]any{"uniqueItems": true}, []any{"tea", "tea"}, "items at 0 and 1 are equal"},
		"an object for a text":               {text, map[string]any{"item": "tea"}, "got object, want string"},
		"a number for a text":                {text, 7, "got number, want string"},
		"null for a text":                    {text, nil, "got null, want string"},
		"a text as data":                     {text, "tea", ""},
		"JSON in a text as data":             {map[string]any{"type": "object"}, `{"item": "tea"}`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent("shop", registry.StatusAvailable)
			a.Metadata.InputSchemas = []agentcard.InputSchema{{Name: "order", SemanticType: "document", JSONSchema: test.schema}}
			given := []orchestrator.Input{{Name: "order", Parts: []*a2apb.Part{data(t, test.value)}}}
			_, err := newRouter(a).CheckInputs(tenant, a, given, &a2apb.Message{})
			_, fieldErr := newRouter(a).CheckInputs(tenant, a, nil, &a2apb.Message{Parts: []*a2apb.Part{data(t, map[string]any{"order": test.value})}})
			for _, err := range []error{err, fieldErr} {
				if (err == nil) != (test.says == "") || err != nil && !strings.Contains(fault.From(err).Message, test.says) {
					t.Errorf("CheckInputs() = %v, want %q", err, test.says)
				}
			}
		})
	}
}

func TestInputsAreCheckedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	spec, page := input("spec", "", "Do it"), input("page", "", "https://example.com/")
	tests := map[string]struct {
		inputs []orchestrator.Input
		parts  []*a2apb.Part
		reason string
		says   map[string]string
	}{
		"all is there":                       {inputs: []orchestrator.Input{spec, page}},
		"a required one is missing":          {inputs: []orchestrator.Input{page}, reason: "INPUT_MISSING", says: map[string]string{`inputs["spec"]`: `agent "strict" requires the input "spec" (document)`}},
		"nothing is there":                   {reason: "INPUT_MISSING", says: map[string]string{`inputs["spec"]`: `agent "strict" requires the input "spec" (document)`, `inputs["page"]`: `agent "strict" requires the input "page" (reference)`}},
		"a rule is broken":                   {inputs: []orchestrator.Input{input("spec", "", "Do it, and do it well"), page}, reason: "INPUT_INVALID", says: map[string]string{`inputs["spec"]`: "Keep the spec short."}},
		"rules of one that is not required":  {inputs: []orchestrator.Input{spec, page, input("size", "", "huge")}, reason: "INPUT_INVALID", says: map[string]string{`inputs["size"]`: "small or large"}},
		"a format":                           {inputs: []orchestrator.Input{spec, input("page", "", "no url")}, reason: "INPUT_INVALID", says: map[string]string{`inputs["page"]`: "Give a URL."}},
		"a data part has it":                 {parts: []*a2apb.Part{data(t, map[string]any{"spec": "Do it", "page": "https://example.com/"})}},
		"a data part breaks a rule":          {parts: []*a2apb.Part{data(t, map[string]any{"spec": "do it", "page": "https://example.com/"})}, reason: "INPUT_INVALID", says: map[string]string{`inputs["spec"]`: "Begin with a capital."}},
		"a text has the URL":                 {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{textPart("Read https://example.com/ please")}},
		"a text may refer to it":             {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{textPart("Read the page of yesterday")}},
		"a file has the name":                {inputs: []orchestrator.Input{page}, parts: []*a2apb.Part{{Filename: "spec", Content: &a2apb.Part_Raw{Raw: []byte("Do it")}}}},
		"a text ends with a URL":             {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{textPart("(Read https://example.com/a.pdf.)")}},
		"a text after a URL":                 {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{textPart("Read https://example.com/a"), textPart("(1)")}},
		"a text has a URL of wrong form":     {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{textPart("Read https://%zz please")}, reason: "INPUT_INVALID", says: map[string]string{`inputs["page"]`: "Give a URL."}},
		"data does not refer to it":          {inputs: []orchestrator.Input{spec}, parts: []*a2apb.Part{data(t, map[string]any{"other": "the page"})}, reason: "INPUT_MISSING", says: map[string]string{`inputs["page"]`: `agent "strict" requires the input "page" (reference)`}},
		"the name is right, the type is not": {inputs: []orchestrator.Input{input("spec", "collection", "Do it"), page}},
		"the rules of a URL part":            {inputs: []orchestrator.Input{{Name: "spec", Parts: []*a2apb.Part{{Content: &a2apb.Part_Url{Url: "https://example.com/"}}}}, page}, reason: "INPUT_INVALID", says: map[string]string{`inputs["spec"]`: "Keep the spec short.; Begin with a capital."}},
		"the rules of a data part":           {inputs: []orchestrator.Input{{Name: "spec", Parts: []*a2apb.Part{data(t, map[string]any{"x": "a long value"})}}, page}, reason: "INPUT_INVALID", says: map[string]string{`inputs["spec"]`: "Keep the spec short.; Begin with a capital."}},
		"another name, but the type fits":    {inputs: []orchestrator.Input{input("story", "comment", "Do it"), page}},
		"another name, and no type":          {inputs: []orchestrator.Input{input("story", "", "Do it"), page}, reason: "INPUT_MISSING", says: map[string]string{`inputs["spec"]`: `agent "strict" requires the input "spec" (document)`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newRouter().CheckInputs(tenant, strict(), test.inputs, &a2apb.Message{Parts: test.parts})
			said := make(map[string]string)
			if f, ok := errors.AsType[*fault.Error](err); ok {
				for _, v := range f.Violations {
					said[v.Field] = strings.TrimPrefix(said[v.Field]+"; "+v.Description, "; ")
					if !strings.Contains(f.Message, strings.Trim(v.Field, "inputs[]")) || !strings.Contains(f.Message, v.Description) {
						t.Errorf("CheckInputs() = %v, want it to name %s and say %q", err, v.Field, v.Description)
					}
				}
			}
			if want := test.says; fault.ReasonOf(err) != test.reason && (test.reason != "" || err != nil) || (len(want) > 0 && !cmp.Equal(want, said)) {
				t.Errorf("CheckInputs() = %v, %v, want %q, %v", err, said, test.reason, want)
			}
		})
	}
}

func TestInputsTravelInTheMessageUnderTheNamesOfTheAgent(t *testing.T) {
	t.Parallel()
	m := &a2apb.Message{Parts: []*a2apb.Part{textPart("go")}}
	page := input("page", "", "https://example.com/")
	page.Parts[0].Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"mine": structpb.NewStringValue("kept")}}
	named, err := newRouter().CheckInputs(tenant, strict(), []orchestrator.Input{input("story", "comment", "Do it"), page}, m)
	if err != nil {
		t.Fatal(err)
	}
	sent := router.AttachInputs(m, named)
	var got []string
	for _, p := range sent.GetParts() {
		got = append(got, p.GetMetadata().GetFields()[router.InputKey].GetStringValue()+"="+p.GetText())
	}
	if diff := cmp.Diff([]string{"=go", "spec=Do it", "page=https://example.com/"}, got); diff != "" || len(m.GetParts()) != 1 {
		t.Errorf("AttachInputs() parts (-want +got):\n%s", diff)
	}
	if got := sent.GetParts()[2].GetMetadata().AsMap()["mine"]; got != "kept" || len(page.Parts[0].GetMetadata().GetFields()) != 1 {
		t.Errorf("AttachInputs() metadata = %v, want that of the caller's part kept, and the caller's part left alone", got)
	}
	if _, err := newRouter().CheckInputs(tenant, strict(), nil, sent); err != nil {
		t.Errorf("CheckInputs() of what was carried = %v, want nil", err)
	}
}

// TestPatternsShareTheirTime has an agent and a caller who choose patterns and values such that each match takes a second.
func TestPatternsShareTheirTime(t *testing.T) {
	t.Parallel()
	a := agent("a", registry.StatusAvailable)
	var inputs []orchestrator.Input
	for _, name := range []string{"x", "y", "z"} {
		a.Metadata.InputSchemas = append(a.Metadata.InputSchemas, agentcard.InputSchema{Name: name, SemanticType: "document", ValidationRules: []agentcard.ValidationRule{
			{Type: "pattern", Value: "^[ab]{1000}[ab]*$", Message: "Use a and b."}, {Type: "length", Value: 50_000.0, Message: "Be brief."},
		}})
		inputs = append(inputs, input(name, "", strings.Repeat("a", 40_000)))
	}
	if _, err := newRouter().CheckInputs(tenant, a, inputs[:2], nil); err != nil {
		t.Errorf("CheckInputs() of two = %v, want nil", err)
	}
	_, err := newRouter().CheckInputs(tenant, a, inputs, nil)
	if fault.ReasonOf(err) != "INPUT_INVALID" || !strings.Contains(err.Error(), `input "z": Use a and b. (it has 40000 bytes, too many`) || strings.Contains(err.Error(), `input "y"`) {
		t.Errorf("CheckInputs() of three = %v, want that the third is too long", err)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rule     agentcard.ValidationRule
		yes, not []string
	}{
		"length counts characters": {agentcard.ValidationRule{Type: "length", Value: 3.0}, []string{"", "abc", "äöü"}, []string{"abcd"}},
		"pattern is RE2":           {agentcard.ValidationRule{Type: "pattern", Value: "^a+$"}, []string{"aa"}, []string{"", "ab"}},
		"a pattern for long values": {
			agentcard.ValidationRule{Type: "pattern", Value: "^[ab]{1000}[ab]*$"}, []string{strings.Repeat("a", 50_000)}, []string{strings.Repeat("a", 120_000)},
		},
		"enum":                {agentcard.ValidationRule{Type: "enum", Value: []any{"a"}}, []string{"a"}, []string{"b", ""}},
		"format email":        {agentcard.ValidationRule{Type: "format", Value: "email"}, []string{"a@b.c"}, []string{"a", "A <a@b.c>"}},
		"format uuid":         {agentcard.ValidationRule{Type: "format", Value: "uuid"}, []string{"123e4567-e89b-12d3-a456-426614174000"}, []string{"123"}},
		"format date":         {agentcard.ValidationRule{Type: "format", Value: "date"}, []string{"2026-02-28"}, []string{"2026-02-30"}},
		"format date-time":    {agentcard.ValidationRule{Type: "format", Value: "date-time"}, []string{"2026-02-28T00:00:00Z"}, []string{"2026-02-28"}},
		"format json":         {agentcard.ValidationRule{Type: "format", Value: "JSON"}, []string{"{}", "1"}, []string{"{"}},
		"format ipv4":         {agentcard.ValidationRule{Type: "format", Value: "ipv4"}, []string{"127.0.0.1"}, []string{"::1", "127.1"}},
		"format hostname":     {agentcard.ValidationRule{Type: "format", Value: "hostname"}, []string{"a.example"}, []string{"-a", ""}},
		"format uri":          {agentcard.ValidationRule{Type: "format", Value: "uri"}, []string{"https://a.example/b", "urn:isbn:1"}, []string{"a", "/b"}},
		"a format for people": {agentcard.ValidationRule{Type: "format", Value: "markdown"}, []string{"", "x"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent("a", registry.StatusAvailable)
			test.rule.Message = "no"
			a.Metadata.InputSchemas = []agentcard.InputSchema{{Name: "x", SemanticType: "document", ValidationRules: []agentcard.ValidationRule{test.rule}}}
			check := func(value string, want bool) {
				if _, err := newRouter().CheckInputs(tenant, a, []orchestrator.Input{input("x", "", value)}, nil); (err == nil) != want {
					t.Errorf("CheckInputs(%q) = %v, want it to hold: %v", value, err, want)
				}
			}
			for _, v := range test.yes {
				check(v, true)
			}
			for _, v := range test.not {
				check(v, false)
			}
		})
	}
}
