package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// TestTheDocumentHasWhatIsServed starts a server without the web-fetch agent.
func TestTheDocumentHasWhatIsServed(t *testing.T) {
	t.Parallel()
	d := openDoors(t, time.Minute)
	answer := d.call(t, d.key("admin"), http.MethodGet, "/openapi.json", "", "")
	defer answer.Body.Close()
	var document struct {
		Swagger     string
		Definitions map[string]any
		Tags        []struct{ Name, Description string }
		Paths       map[string]map[string]struct{ Tags []string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil || document.Swagger != "2.0" || len(document.Definitions) == 0 {
		t.Fatalf("/openapi.json = %+v, %v, want a document", document, err)
	}
	for _, path := range []string{"/v1/agents", "/v1/tasks/{id}:watch", "/v1/routes:resolve", "/v1/tasks/{taskId}/consultations", "/v1/caller"} {
		if len(document.Paths[path]) == 0 {
			t.Errorf("the document lacks %s", path)
		}
	}
	for _, path := range []string{"/v1/allowedDomains", "/v1/pages:fetch"} {
		absent := d.call(t, d.key("admin"), http.MethodGet, path, "", "")
		absent.Body.Close()
		if len(document.Paths[path]) > 0 || absent.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s = %d, and the document has it: %t; want 404 and false", path, absent.StatusCode, len(document.Paths[path]) > 0)
		}
	}
	for _, tag := range document.Tags {
		if tag.Name == "WebFetchService" || tag.Description == "" {
			t.Errorf("the document has the tag %+v", tag)
		}
	}
}
