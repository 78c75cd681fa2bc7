package proto_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	protobuf "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/proto"
)

// schema is the part of a schema in the document that rules of fields decide.
type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
	Required   []string
	Enum       []string
}

// TestTheDocumentHasTheRulesOfRequests compares the document with the rules by which requests are refused: which fields they must have, and which
// texts a field may have. proto/openapi.yaml says both to the generator, which does not read the rules.
func TestTheDocumentHasTheRulesOfRequests(t *testing.T) {
	t.Parallel()
	var document struct {
		Definitions map[string]schema
		Paths       map[string]map[string]struct {
			Parameters []struct {
				In     string
				Schema schema
			}
		}
	}
	if err := json.Unmarshal(proto.OpenAPI, &document); err != nil {
		t.Fatalf("Unmarshal(OpenAPI) = %v", err)
	}
	c := comparison{T: t, definitions: document.Definitions, seen: make(map[protoreflect.FullName]bool)}
	for _, b := range bindings() {
		path := variable.ReplaceAllStringFunc(b.path, func(field string) string {
			return "{" + b.fields.ByName(protoreflect.Name(variable.FindStringSubmatch(field)[1])).JSONName() + "}"
		})
		for _, p := range document.Paths[path][b.method].Parameters {
			switch {
			case p.In != "body":
			case b.body == "*":
				c.fields(p.Schema, b.fields)
			default:
				c.fields(p.Schema, b.fields.ByName(protoreflect.Name(b.body)).Message().Fields())
			}
		}
	}
	if len(c.seen) < 10 {
		t.Errorf("there are %d messages in requests, want more", len(c.seen))
	}
}

type comparison struct {
	*testing.T
	definitions map[string]schema
	seen        map[protoreflect.FullName]bool // messages that were compared
}

func (c comparison) fields(s schema, fields protoreflect.FieldDescriptors) {
	if name, ok := strings.CutPrefix(s.Ref, "#/definitions/"); ok {
		s = c.definitions[name]
	}
	for i := range fields.Len() {
		field := fields.Get(i)
		property, ok := s.Properties[field.JSONName()]
		if !ok { // it is in the path
			continue
		}
		needed, texts := rules(field)
		if needed != slices.Contains(s.Required, field.JSONName()) {
			c.Errorf("%s is required by the document: %t, by its rule: %t", field.FullName(), !needed, needed)
		}
		if !slices.Equal(property.Enum, texts) {
			c.Errorf("%s has the texts %q in the document, and %q in its rule", field.FullName(), property.Enum, texts)
		}
		if property.Items != nil {
			property = *property.Items
		}
		if m := field.Message(); m != nil && property.Ref != "" && !c.seen[m.FullName()] && m.ParentFile().Package() != "google.protobuf" {
			c.seen[m.FullName()] = true
			c.fields(property, m.Fields())
		}
	}
}

// required are the fields of A2A's messages without which requests are refused; A2A itself requires more of them, which Quorate adds.
var required = []protoreflect.FullName{"lf.a2a.v1.Message.parts", "lf.a2a.v1.Artifact.parts"}

// rules returns whether a request without the field is refused, and the texts that it may have.
func rules(field protoreflect.FieldDescriptor) (needed bool, texts []string) {
	r, _ := protobuf.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
	for _, text := range r.GetString().GetIn() {
		if text != "" {
			texts = append(texts, text)
		}
	}
	needed = slices.Contains(required, field.FullName()) || r.GetRequired() || r.GetString().GetMinLen() > 0 || r.GetRepeated().GetMinItems() > 0 || len(texts) > 0 && len(texts) == len(r.GetString().GetIn())
	return needed && field.ContainingOneof() == nil && r.GetIgnore() != validate.Ignore_IGNORE_IF_ZERO_VALUE, texts
}
