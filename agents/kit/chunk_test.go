package kit_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/kit"
)

func TestLongTextComesInChunks(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("日本語", 20)+"\n", 1000) + strings.Repeat("本", 100_000)
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		return task.AddArtifact(ctx, kit.Artifact{Name: "long.txt", MediaType: "text/plain", Text: text, Metadata: map[string]any{"trust": "untrusted"}})
	}})
	for _, binding := range bindings {
		c := client(t, agent, binding)
		chunks, id := stream(t, c, func() {})
		var got strings.Builder
		for i, chunk := range chunks {
			if chunk.Append != (i > 0) || chunk.LastChunk != (i == len(chunks)-1) || chunk.Artifact.ID != chunks[0].Artifact.ID || len(chunk.Artifact.Parts) != 1 {
				t.Errorf("%s: chunk %d of %d = append %t, last %t, %d parts", binding, i, len(chunks), chunk.Append, chunk.LastChunk, len(chunk.Artifact.Parts))
			}
			if diff := cmp.Diff(map[string]any{"trust": "untrusted"}, chunk.Artifact.Metadata); diff != "" {
				t.Errorf("%s: metadata of chunk %d differs (-want +got):\n%s", binding, i, diff)
			}
			got.WriteString(chunk.Artifact.Parts[0].Text())
		}
		if len(chunks) < 3 || got.String() != text {
			t.Errorf("%s: %d chunks of %d bytes together, want at least 3 that are the text of %d", binding, len(chunks), got.Len(), len(text))
		}
		assertWhole(t, c, id, len(chunks), text)
	}
}

// stream sends a message, and returns the updates of artifacts and the task's id. It calls first when the first of them has come.
func stream(t *testing.T, c *a2aclient.Client, first func()) (updates []*a2a.TaskArtifactUpdateEvent, id a2a.TaskID) {
	t.Helper()
	for event, err := range c.SendStreamingMessage(t.Context(), request(say("go"))) {
		if err != nil {
			t.Fatal(err)
		}
		id = event.TaskInfo().TaskID
		if update, ok := event.(*a2a.TaskArtifactUpdateEvent); ok {
			if updates = append(updates, update); len(updates) == 1 {
				first()
			}
		}
	}
	return updates, id
}

// assertWhole checks that the task has one artifact with all parts.
func assertWhole(t *testing.T, c *a2aclient.Client, id a2a.TaskID, parts int, text string) {
	t.Helper()
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if len(task.Artifacts) == 1 {
		for _, part := range task.Artifacts[0].Parts {
			got.WriteString(part.Text())
		}
	}
	if len(task.Artifacts) != 1 || len(task.Artifacts[0].Parts) != parts || got.String() != text {
		t.Errorf("GetTask() = %d artifacts with %d bytes, want one with %d parts that are the text", len(task.Artifacts), got.Len(), parts)
	}
}

func TestWrapGetsRequestsFirst(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: play, Wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/own" {
				_ = json.NewEncoder(w).Encode("mine") // the client may be gone
				return
			}
			next.ServeHTTP(w, r)
		})
	}})
	for path, want := range map[string]string{"/own": `"mine"`, "/.well-known/agent-card.json": `"skills"`} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, agent.URL()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("Get(%s) = %q, %v, want %s in it", path, body, err, want)
		}
	}
}
