package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/netguard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newSite starts a site and returns its URL and a fetcher that may read it.
func newSite(t *testing.T) (*webfetch.Fetcher, string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/article", "/article_(2)":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<title>T</title><h1>Title</h1><p>Some <b>text</b>.")
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", webfetch.DefaultMaxCharacters+1))
		case "/links":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<a href="/a">one</a> <a href="https://example.org/b">two</a>`)
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<script>render()</script>")
		case "/moved":
			w.Header().Set("Location", "/article")
			w.WriteHeader(http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	host := site.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, site.URL
}

// send returns the task that a message became, and what its progress said.
func send(t *testing.T, c *a2aclient.Client, message *a2a.Message) (task *a2a.Task, progress string) {
	t.Helper()
	task = &a2a.Task{}
	for event, err := range c.SendStreamingMessage(t.Context(), &a2a.SendMessageRequest{Message: message}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case *a2a.Task:
			task = e
		case *a2a.TaskArtifactUpdateEvent:
			task.Artifacts = append(task.Artifacts, e.Artifact)
		case *a2a.TaskStatusUpdateEvent:
			task.Status = e.Status
			progress += status(task) + "\n"
		}
	}
	return task, progress
}

func says(parts ...*a2a.Part) *a2a.Message { return a2a.NewMessage(a2a.MessageRoleUser, parts...) }

// status returns what the task's status says.
func status(task *a2a.Task) string {
	if task.Status.Message == nil {
		return ""
	}
	return task.Status.Message.Parts[0].Text()
}

const markdown = "# Title\n\nSome **text**."

func TestTheAgentDeliversThePage(t *testing.T) {
	f, site := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	data := func(fields map[string]any) *a2a.Part { return a2a.NewDataPart(fields) }
	for name, test := range map[string]struct {
		message  *a2a.Message
		artifact string // name, media type and text
		said     string // in the progress
	}{
		"a URL in a sentence":          {says(a2a.NewTextPart("Please read " + site + "/article.")), "page.md text/markdown " + markdown, ""},
		"a URL in brackets":            {says(a2a.NewTextPart("(see <" + site + "/article>)")), "page.md text/markdown " + markdown, ""},
		"a URL that has brackets":      {says(a2a.NewTextPart("(see " + site + "/article_(2))")), "page.md text/markdown " + markdown, ""},
		"a URL before many brackets":   {says(a2a.NewTextPart(site + "/article" + strings.Repeat(")", 3<<20))), "page.md text/markdown " + markdown, ""},
		"a URL in a Japanese sentence": {says(a2a.NewTextPart("「" + site + "/article」を読んで。")), "page.md text/markdown " + markdown, ""},
		"the first of several":         {says(a2a.NewTextPart(site+"/article, https://example.com"), a2a.NewTextPart("http://example.org")), "page.md text/markdown " + markdown, "The message names 3 URLs; reading the first one."},
		"a data part":                  {says(data(map[string]any{"url": site + "/article"})), "page.md text/markdown " + markdown, ""},
		"a data part with a format":    {says(data(map[string]any{"url": site + "/article", "format": "text"})), "page.txt text/plain Title\n\nSome text.", ""},
		"other data beside a text":     {says(data(map[string]any{"depth": 3}), a2a.NewTextPart(site+"/article")), "page.md text/markdown " + markdown, ""},
		"a page longer than the limit": {says(a2a.NewTextPart(site + "/long")), "page.txt text/plain " + strings.Repeat("x", webfetch.DefaultMaxCharacters) + "\n\n... [truncated]", "read on with start_index 50000"},
	} {
		t.Run(name, func(t *testing.T) {
			task, progress := send(t, c, test.message)
			if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
				t.Fatalf("task = %s with %d artifacts: %s, want COMPLETED with one", task.Status.State, len(task.Artifacts), status(task))
			}
			a := task.Artifacts[0]
			if diff := cmp.Diff(test.artifact, a.Name+" "+a.Parts[0].MediaType+" "+a.Parts[0].Text()); diff != "" {
				t.Errorf("artifact differs (-want +got):\n%s", diff)
			}
			if !strings.Contains(progress, test.said) {
				t.Errorf("progress = %q, want %q in it", progress, test.said)
			}
		})
	}
}

func TestTheAgentSaysWhyItFailed(t *testing.T) {
	f, site := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	for name, test := range map[string]struct {
		part *a2a.Part
		want string
	}{
		"no URL":                     {a2a.NewTextPart("read www.example.com"), "names no page"},
		"a missing page":             {a2a.NewTextPart(site + "/missing"), "404"},
		"a host that is not allowed": {a2a.NewTextPart("https://example.com/a?key=secret"), "not on the list of allowed hosts"},
		"an internal address":        {a2a.NewTextPart("http://169.254.169.254/latest/"), "is never called"},
		"a page without text":        {a2a.NewTextPart(site + "/empty"), "no text"},
		"a redirect to be kept":      {a2a.NewDataPart(map[string]any{"url": site + "/moved", "follow_redirects": false}), `PAGE_EMPTY: the page at 127.0.0.1 redirects to "/article", which was not followed`},
		"data with an unknown field": {a2a.NewDataPart(map[string]any{"url": site, "depth": 3}), "depth"},
		"data with a wrong type":     {a2a.NewDataPart(map[string]any{"url": 7}), "url"},
	} {
		t.Run(name, func(t *testing.T) {
			task, _ := send(t, c, says(test.part))
			got := status(task)
			if task.Status.State != a2a.TaskStateFailed || !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
				t.Errorf("task = %s: %q, want FAILED with %q", task.Status.State, got, test.want)
			}
			if len(task.Artifacts) != 0 {
				t.Errorf("task has %d artifacts, want none", len(task.Artifacts))
			}
		})
	}
}
