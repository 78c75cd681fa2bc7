package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/serve"
)

func TestTheConfiguredModelIsAskedWhereATextGoes(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the model was sent what it cannot read: %v", err)
		}
		select {
		case asked <- fmt.Sprintf("%s for %s with %s", r.URL.Path, request.Model, r.Header.Get("Authorization")):
		default:
		}
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	t.Cleanup(model.Close)
	s := startWith(t, func(c *serve.Config) {
		c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel = model.URL+"/v1", "small"
		c.Routing.EmbeddingsKeyFile = write(t, filepath.Join(t.TempDir(), "key"), "secret\n")
	})
	s.answer(t, "", "/v1/agents:register", card, false)
	s.answer(t, "", "/v1/routes:resolve", `{"route":{"text":"bake a cake"}}`, false)
	select {
	case got := <-asked:
		if want := "/v1/embeddings for small with Bearer secret"; got != want {
			t.Errorf("the model was asked %s, want %s", got, want)
		}
	case <-time.After(patience):
		t.Errorf("the model was not asked within %s", patience)
	}
}
