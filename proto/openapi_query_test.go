package proto_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/api/annotations"
	protobuf "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/proto"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// variable matches a part of a path that is a field, with its pattern if it has one.
var variable = regexp.MustCompile(`\{([a-z_]+)[^}]*\}`)

// TestTheDocumentHasEveryQueryParameter compares the document with what the gateway reads: each field that is neither in the path nor in the body.
func TestTheDocumentHasEveryQueryParameter(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(proto.OpenAPI, &document); err != nil {
		t.Fatalf("Unmarshal(OpenAPI) = %v", err)
	}
	found := 0
	for _, b := range bindings() {
		var inPath []string
		path := variable.ReplaceAllStringFunc(b.path, func(field string) string {
			name := variable.FindStringSubmatch(field)[1]
			inPath = append(inPath, name)
			return "{" + b.fields.ByName(protoreflect.Name(name)).JSONName() + "}"
		})
		for i := range b.fields.Len() {
			field := b.fields.Get(i)
			if name := string(field.Name()); b.body == "*" || b.body == name || slices.Contains(inPath, name) {
				continue
			}
			found++
			if !slices.ContainsFunc(document.Paths[path][b.method].Parameters, func(p struct{ Name, In string }) bool {
				return p.In == "query" && p.Name == field.JSONName()
			}) {
				t.Errorf("%s %s has no query parameter %s, which the gateway reads", b.method, path, field.JSONName())
			}
		}
	}
	if found < 40 {
		t.Errorf("there are %d query parameters, want many", found)
	}
}

// binding is a way to call an RPC over REST.
type binding struct {
	method, path, body string
	fields             protoreflect.FieldDescriptors // of the request
}

func bindings() (all []binding) {
	for _, file := range []protoreflect.FileDescriptor{
		consultationv1.File_quorate_consultation_v1_consultation_service_proto, orchestratorv1.File_quorate_orchestrator_v1_caller_service_proto,
		orchestratorv1.File_quorate_orchestrator_v1_route_service_proto, orchestratorv1.File_quorate_orchestrator_v1_task_service_proto,
		registryv1.File_quorate_registry_v1_registry_service_proto, webfetchv1.File_quorate_webfetch_v1_webfetch_proto,
	} {
		methods := file.Services().Get(0).Methods()
		for i := range methods.Len() {
			m := methods.Get(i)
			rule, _ := protobuf.GetExtension(m.Options(), annotations.E_Http).(*annotations.HttpRule)
			for _, r := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
				field := r.ProtoReflect().WhichOneof(r.ProtoReflect().Descriptor().Oneofs().ByName("pattern"))
				all = append(all, binding{string(field.Name()), r.ProtoReflect().Get(field).String(), r.GetBody(), m.Input().Fields()})
			}
		}
	}
	return all
}
