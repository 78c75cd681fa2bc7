package router

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/prose"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// InputKey is the key in a part's metadata under which the part names the input that it belongs to.
const InputKey = "input"

// CheckInputs checks a task's inputs against those that its agent declares, and returns them under the agent's names. A required input that is not
// among them may be in the message: as a field of a data part, as a part whose filename or metadata names it or, for a reference, in its text.
// Otherwise the result is an InvalidArgument fault with the reason INPUT_MISSING or INPUT_INVALID that names each wrong input and gives the messages
// of the rules that it breaks, and why it is not valid for its JSON Schema.
func (r *Router) CheckInputs(tenant string, a registry.Agent, inputs []orchestrator.Input, m *a2apb.Message) ([]orchestrator.Input, error) {
	have := make([]orchestrator.Typed, len(inputs))
	for i, in := range inputs {
		have[i] = orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}
		if slices.ContainsFunc(a.Metadata.InputSchemas, func(s agentcard.InputSchema) bool { return s.Name == in.Name }) {
			have[i].SemanticType = "" // its name identifies it
		}
	}
	bound := r.indexes.view(tenant).binder(have).bind(a.Metadata.InputSchemas)
	named := slices.Clone(inputs)
	var missing, broken []fault.Violation
	left, schemas := maxMatch, newSchemaCheck()
	url := sync.OnceValue(func() string { return firstURL(m.GetParts()) })
	for at, schema := range a.Metadata.InputSchemas {
		var v inputValue
		i, ok := bound[at], bound[at] != none
		if ok {
			named[i].Name = schema.Name
			v = valueOf(inputs[i].Parts)
		} else {
			v, ok = findInMessage(schema, m, url)
		}
		switch {
		case ok:
			for _, why := range brokenRules(schema, v.text, &left) {
				broken = append(broken, fault.Violation{Field: inputField(schema.Name), Description: why})
			}
			if why := schemas.invalid(schema.JSONSchema, v); why != "" {
				broken = append(broken, fault.Violation{Field: inputField(schema.Name), Description: "it is not valid for the agent's JSON Schema: " + why})
			}
		case schema.Required && !mayRefer(schema, m):
			missing = append(missing, fault.Violation{Field: inputField(schema.Name), Description: fmt.Sprintf("agent %q requires the input %q (%s)", a.Name, schema.Name, schema.SemanticType)})
		}
	}
	if len(missing) > 0 {
		return nil, violationError(CodeNoInput, append(missing, broken...))
	}
	if len(broken) > 0 {
		return nil, violationError(CodeBadInput, broken)
	}
	return named, nil
}

// inputField names an input of a request by its name: it may not be there, or be a part of the message.
func inputField(name string) string { return fmt.Sprintf("inputs[%q]", name) }

func violationError(reason string, list []fault.Violation) error {
	var texts []string
	for _, v := range list {
		name := strings.TrimSuffix(strings.TrimPrefix(v.Field, "inputs["), "]")
		texts = append(texts, "input "+name+": "+v.Description)
	}
	e := fault.New(fault.InvalidArgument, reason, "%s", strings.Join(texts, "; "))
	e.Violations = list
	return e
}

// brokenRules returns the messages of the rules that a value breaks. It takes the work of matching patterns from left; a rule for which that is not enough is
// broken.
func brokenRules(schema agentcard.InputSchema, value string, left *int) []string {
	var out []string
	for _, rule := range schema.ValidationRules {
		work := matchWork(rule, value)
		switch *left -= work; {
		case work > 0 && *left < 0:
			out = append(out, fmt.Sprintf("%s (it has %d bytes, too many to match all patterns of the agent's inputs)", rule.Message, len(value)))
		case !satisfiesRule(rule, value):
			out = append(out, rule.Message)
		}
	}
	return out
}

// content returns what rules apply to: the text of the parts, or the data as JSON, or the bytes or the URL.
func content(parts []*a2apb.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch v := p.GetContent().(type) {
		case *a2apb.Part_Text:
			b.WriteString(v.Text)
		case *a2apb.Part_Raw:
			b.Write(v.Raw)
		case *a2apb.Part_Url:
			b.WriteString(v.Url)
		case *a2apb.Part_Data:
			b.WriteString(plain(v.Data))
		}
	}
	return b.String()
}

// plain returns the content of a string, or any other value as JSON.
func plain(v *structpb.Value) string {
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
		return s.StringValue
	}
	b, err := json.Marshal(v.AsInterface())
	if err != nil { // NaN or an infinity, which no task takes
		return ""
	}
	return string(b)
}

// firstURL returns the first URL in parts, or "".
func firstURL(parts []*a2apb.Part) string {
	for part := range slices.Chunk(parts, 1) {
		for url := range prose.URLs(content(part)) {
			return url
		}
	}
	return ""
}

// inputValue is what an input consists of.
type inputValue struct {
	text       string // what rules apply to
	parts      int    // their number
	structured bool   // it is data and no string: the text is its JSON, and no text that somebody wrote
}

func valueOf(parts []*a2apb.Part) inputValue {
	return inputValue{content(parts), len(parts), len(parts) == 1 && isStructured(parts[0].GetData())}
}

// isStructured reports whether there is data, and that is no string.
func isStructured(data *structpb.Value) bool {
	_, isText := data.GetKind().(*structpb.Value_StringValue)
	return data != nil && !isText
}

// findInMessage finds an input in a message, whose first URL is url.
func findInMessage(schema agentcard.InputSchema, m *a2apb.Message, url func() string) (v inputValue, ok bool) {
	var named []*a2apb.Part
	for _, p := range m.GetParts() {
		if p.GetMetadata().GetFields()[InputKey].GetStringValue() == schema.Name || p.GetFilename() == schema.Name {
			named = append(named, p)
		}
	}
	if len(named) > 0 {
		return valueOf(named), true
	}
	for _, p := range m.GetParts() {
		if v, ok := p.GetData().GetStructValue().GetFields()[schema.Name]; ok {
			return inputValue{plain(v), 1, isStructured(v)}, true
		}
	}
	if schema.SemanticType == "reference" {
		v = inputValue{text: url(), parts: 1}
	}
	return v, v.text != ""
}

// mayRefer reports whether a message may hold an input that a search for URLs cannot find: a text can refer to things in many ways, and only its
// reader can judge that.
func mayRefer(schema agentcard.InputSchema, m *a2apb.Message) bool {
	return schema.SemanticType == "reference" && slices.ContainsFunc(m.GetParts(), func(p *a2apb.Part) bool { return p.GetText() != "" })
}

// AttachInputs returns the message with the inputs appended: their parts, marked with the names of the inputs.
func AttachInputs(m *a2apb.Message, inputs []orchestrator.Input) *a2apb.Message {
	if len(inputs) == 0 {
		return m
	}
	out := proto.CloneOf(m)
	for _, in := range inputs {
		for _, p := range in.Parts {
			part := proto.CloneOf(p)
			fields := maps.Clone(part.GetMetadata().GetFields())
			if fields == nil {
				fields = make(map[string]*structpb.Value, 1)
			}
			fields[InputKey] = structpb.NewStringValue(in.Name)
			part.Metadata = &structpb.Struct{Fields: fields}
			out.Parts = append(out.Parts, part)
		}
	}
	return out
}
