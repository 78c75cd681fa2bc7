package embedding_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/router/embedding"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// endpoint answers every request with a status and a body.
func endpoint(t *testing.T, status int, body string) (*embedding.Client, *http.Request, *map[string]any) {
	t.Helper()
	seen, asked := &http.Request{}, &map[string]any{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = *r.Clone(r.Context())
		if err := json.NewDecoder(r.Body).Decode(asked); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		w.WriteHeader(status)
		if _, err := io.WriteString(w, body); err != nil {
			t.Log(err) // the client left
		}
	}))
	t.Cleanup(s.Close)
	c, err := embedding.New(s.URL+"/v1", "small", auth.Secret("key"), s.Client())
	if err != nil {
		t.Fatal(err)
	}
	return c, seen, asked
}

func TestEmbedAsksInTheOpenAIForm(t *testing.T) {
	t.Parallel()
	c, seen, asked := endpoint(t, http.StatusOK, `{"object":"list","data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"model":"small"}`)
	got, err := c.Embed(t.Context(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{0.6, 0.8}, {0, 1}}, got); err != nil || diff != "" {
		t.Errorf("Embed() = %v, (-want +got):\n%s", err, diff)
	}
	if seen.Method != http.MethodPost || seen.URL.Path != "/v1/embeddings" || seen.Header.Get("Authorization") != "Bearer key" {
		t.Errorf("Embed() sent %s %s with %q, want POST /v1/embeddings with the key", seen.Method, seen.URL.Path, seen.Header.Get("Authorization"))
	}
	if diff := cmp.Diff(map[string]any{"model": "small", "input": []any{"a", "b"}, "encoding_format": "float"}, *asked); diff != "" {
		t.Errorf("Embed() sent (-want +got):\n%s", diff)
	}
}

func TestAnswersThatMakeNoSense(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("1,", 8192) + "1"
	tests := map[string]struct {
		status       int
		body, reason string
	}{
		"too few":               {200, `{"data":[{"index":0,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"the same index twice":  {200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"an index beyond":       {200, `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"an index below":        {200, `{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"different lengths":     {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, embedding.ReasonInvalid},
		"nothing in them":       {200, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, embedding.ReasonInvalid},
		"no direction":          {200, `{"data":[{"index":0,"embedding":[0]},{"index":1,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"too many numbers":      {200, `{"data":[{"index":0,"embedding":[` + many + `]},{"index":1,"embedding":[` + many + `]}]}`, embedding.ReasonInvalid},
		"numbers out of range":  {200, `{"data":[{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}]}`, embedding.ReasonInvalid},
		"no JSON":               {200, `<html>`, embedding.ReasonInvalid},
		"more than vectors are": {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}` + strings.Repeat(" ", 1<<20), embedding.ReasonInvalid},
		"a refusal":             {401, `{"error":{"message":"wrong key"}}`, embedding.ReasonInvalid},
		"a text refused":        {413, `{"error":"too long"}`, embedding.ReasonRefused},
		"too many requests":     {429, `{}`, embedding.ReasonUnavailable},
		"trouble":               {502, `bad gateway`, embedding.ReasonUnavailable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, _ := endpoint(t, test.status, test.body)
			if got, err := c.Embed(t.Context(), []string{"a", "b"}); fault.ReasonOf(err) != test.reason {
				t.Errorf("Embed() = %v, %v, want %s", got, err, test.reason)
			}
		})
	}
}

func TestAnEndpointWithoutAKeyGetsNone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Authorization"); len(got) > 0 {
			t.Errorf("Embed() without a key sent the credentials %q, want none", got)
		}
		if _, err := io.WriteString(w, `{"data":[{"index":0,"embedding":[1]}]}`); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	c, err := embedding.New(s.URL, "small", "", s.Client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Embed(t.Context(), []string{"a"}); err != nil {
		t.Errorf("Embed() = %v, want nil", err)
	}
}

func TestAnEndpointThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c, err := embedding.New(s.URL, "small", "", s.Client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Embed(t.Context(), []string{"a"}); fault.ReasonOf(err) != embedding.ReasonUnavailable {
		t.Errorf("Embed() = %v, want %s", err, embedding.ReasonUnavailable)
	}
}

func TestNewRefusesWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://api.example", "https://api.example/v1"} {
		if _, err := embedding.New(base, "small", "", &http.Client{}); err != nil {
			t.Errorf("New(%q) = %v, want nil", base, err)
		}
	}
	for _, base := range []string{"", "api.example", "https:///v1", "https://api.example:x", "ftp://api.example/v1", "https://user@api.example/v1", "https://api.example/v1?key=x"} {
		if _, err := embedding.New(base, "small", "", &http.Client{}); fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("New(%q) = %v, want it refused", base, err)
		}
	}
	if _, err := embedding.New("https://api.example/v1", "", "", &http.Client{}); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("New() without a model = %v, want it refused", err)
	}
}
