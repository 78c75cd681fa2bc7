package proto_test

import (
	"encoding/json"
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
