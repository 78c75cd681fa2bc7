package oidc

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// elsewhere is a provider that sends each request on to another URL, as those do whose files are in a cloud.
type elsewhere struct{ asked int }

func (e *elsewhere) RoundTrip(*http.Request) (*http.Response, error) {
	e.asked++
	answer := httptest.NewRecorder()
	answer.Header().Set("Location", fmt.Sprintf("https://files.example/keys?signature=%d", e.asked))
	answer.WriteHeader(http.StatusFound)
	return answer.Result(), nil
}

func TestAnswersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider := &elsewhere{}
		p := newPaced(provider)
		client := &http.Client{Transport: p}
		for range 20 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://id.example/keys", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Do(req); err == nil { //nolint:bodyclose // there is none beside an error
				t.Fatal("Do() with redirects without end = no error, want one")
			}
			time.Sleep(pace) //nolint:forbidigo // of the bubble
		}
		if provider.asked != 200 || len(p.last) > 10 {
			t.Errorf("after %d requests %d answers are kept, want those of the last round after 200", provider.asked, len(p.last))
		}
	})
}
