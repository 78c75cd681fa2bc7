package proto_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/quorate/quorate/proto"
)

func TestTheDocumentSaysWhatItIsAndThatCallersNeedAToken(t *testing.T) {
	t.Parallel()
	var document struct {
		Info                struct{ Title, Version string }
		Security            []map[string]any
		SecurityDefinitions map[string]struct{ In, Name string }
	}
	if err := json.Unmarshal(proto.OpenAPI, &document); err != nil {
		t.Fatalf("Unmarshal(OpenAPI) = %v", err)
	}
	if document.Info.Title != "Quorate" || document.Info.Version != "v1" {
		t.Errorf("OpenAPI has the info %+v, want Quorate and v1", document.Info)
	}
	if bearer := document.SecurityDefinitions["bearer"]; len(document.Security) == 0 || bearer.In != "header" || bearer.Name != "Authorization" {
		t.Errorf("OpenAPI has the security %v, %v, want the header Authorization", document.Security, document.SecurityDefinitions)
	}
}

func TestTheDocumentTellsOfAnswersThatAreNoMessages(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			Produces  []string
			Responses map[string]struct {
				Schema struct {
					Ref        string `json:"$ref"`
					Properties map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal(proto.OpenAPI, &document); err != nil {
		t.Fatalf("Unmarshal(OpenAPI) = %v", err)
	}
	streams := 0
	for path, operations := range document.Paths {
		for method, operation := range operations {
			schema := operation.Responses["200"].Schema
			if schema.Ref == "#/definitions/apiHttpBody" {
				t.Errorf("%s %s answers %s, want what the bytes are", method, path, schema.Ref)
			}
			if schema.Properties["result"] == nil {
				continue
			}
			if streams++; !slices.Contains(operation.Produces, "text/event-stream") {
				t.Errorf("%s %s is a stream and produces %q, want text/event-stream, too", method, path, operation.Produces)
			}
		}
	}
	if streams == 0 {
		t.Error("OpenAPI has no stream")
	}
}
