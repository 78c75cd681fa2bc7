package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/netguard"
)

func TestALargePageComesInChunksAsItIs(t *testing.T) {
	whole := strings.TrimSpace(strings.Repeat("A line of a long page.\n", 40_000))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, whole)
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	message := says(a2a.NewDataPart(map[string]any{"url": site.URL + "/", "maxCharacters": 2_000_000}))
	var text strings.Builder
	var seen []string
	chunks := 0
	for event, err := range c.SendStreamingMessage(t.Context(), &a2a.SendMessageRequest{Message: message}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case *a2a.TaskArtifactUpdateEvent:
			if e.Append != (chunks > 0) || e.Artifact.Metadata["trust"] != "untrusted" {
				t.Errorf("chunk %d appends %t and has the metadata %v, want only the first to begin the artifact, each untrusted", chunks, e.Append, e.Artifact.Metadata)
			}
			for _, part := range e.Artifact.Parts {
				text.WriteString(part.Text())
			}
			chunks++
			seen = append(seen, "chunk")
		case *a2a.TaskStatusUpdateEvent:
			if e.Status.Message != nil {
				seen = append(seen, "progress")
			}
		}
	}
	if text.String() != whole || chunks < 5 {
		t.Errorf("the stream brought %d bytes in %d chunks, want the %d of the page in several", text.Len(), chunks, len(whole))
	}
	if len(seen) == 0 || seen[0] != "progress" {
		t.Errorf("the stream brought %v, want progress before the page", seen)
	}
}
