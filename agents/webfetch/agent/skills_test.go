package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
)

// answer returns the first artifact of a completed task as JSON, or fails.
func answer(t *testing.T, task *a2a.Task) any {
	t.Helper()
	if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
		t.Fatalf("task = %s with %d artifacts: %s, want COMPLETED with one", task.Status.State, len(task.Artifacts), status(task))
	}
	var got any
	if err := json.Unmarshal([]byte(task.Artifacts[0].Parts[0].Text()), &got); err != nil {
		t.Fatalf("artifact %q is no JSON: %v", task.Artifacts[0].Parts[0].Text(), err)
	}
	return got
}

func TestLinksAndExtract(t *testing.T) {
	f, site := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	want := []any{map[string]any{"text": "one", "href": site + "/a"}, map[string]any{"text": "two", "href": "https://example.org/b"}}
	for name, part := range map[string]*a2a.Part{
		"by text":         a2a.NewTextPart("fetch_links " + site + "/links"),
		"by data":         a2a.NewDataPart(map[string]any{"skill": "fetch_links", "url": site + "/links"}),
		"by data, spaced": a2a.NewDataPart(map[string]any{"skill": " fetch_links ", "url": site + "/links"}),
		"by mode":         a2a.NewDataPart(map[string]any{"url": site + "/links", "mode": "links"}),
	} {
		task, _ := send(t, c, says(part))
		if diff := cmp.Diff(want, answer(t, task)); diff != "" {
			t.Errorf("links %s differ (-want +got):\n%s", name, diff)
		}
	}
	task, _ := send(t, c, says(a2a.NewDataPart(map[string]any{"skill": "extract", "url": site + "/article", "selector": "b", "format": "text"})))
	if task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Parts[0].Text() != "text" {
		t.Errorf("extract(b) = %s: %v %s, want the text", task.Status.State, task.Artifacts, status(task))
	}
	for name, part := range map[string]*a2a.Part{
		"nothing to extract": a2a.NewTextPart("extract " + site + "/article"), "no domain": a2a.NewTextPart("add_domain"),
		"no such skill": a2a.NewDataPart(map[string]any{"skill": "fly", "url": site}), "no match": a2a.NewDataPart(map[string]any{"skill": "extract", "url": site + "/article", "selector": "table"}),
	} {
		if task, _ := send(t, c, says(part)); task.Status.State != a2a.TaskStateFailed {
			t.Errorf("%s: task = %s, want FAILED", name, task.Status.State)
		}
	}
}

func TestTheSkillThatTheCallerAskedQuorateFor(t *testing.T) {
	f, site := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	for name, test := range map[string]struct{ asked, text, want string }{
		"counts":                           {"fetch_links", "Read " + site + "/links", "application/json"},
		"is less than the message's word":  {"fetch_links", "fetch_url " + site + "/links", "text/markdown"},
		"of another agent, means nothing":  {"translate", site + "/links", "text/markdown"},
		"does not need a page for domains": {"list_domains", "", "application/json"},
	} {
		message := says(a2a.NewTextPart(test.text))
		message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{"taskId": "task-1", "skill": test.asked}}
		task, _ := send(t, c, message)
		if task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Parts[0].MediaType != test.want {
			t.Errorf("a skill %s: task = %s with %v: %s, want COMPLETED with %s", name, task.Status.State, task.Artifacts, status(task), test.want)
		}
	}
}

func TestDomainsThroughTheAgent(t *testing.T) {
	f, _ := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{AllowlistWrite: true}))
	own, err := f.Allowlist().All(t.Context(), "default")
	if err != nil || len(own) != 1 {
		t.Fatalf("All() = %v, %v, want the site", own, err)
	}
	for _, step := range []struct {
		part *a2a.Part
		want any
	}{
		{a2a.NewTextPart("add_domain Example.com"), map[string]any{"domain": "example.com", "added": true}},
		{a2a.NewDataPart(map[string]any{"skill": "add_domain", "domain": "example.com"}), map[string]any{"domain": "example.com", "added": false}},
		{a2a.NewTextPart("list_domains"), map[string]any{"domains": []any{own[0], "example.com"}}},
		{a2a.NewTextPart("remove_domain: example.com"), map[string]any{"domain": "example.com", "removed": true}},
		{a2a.NewDataPart(map[string]any{"skill": "remove_domain", "domain": "example.com"}), map[string]any{"domain": "example.com", "removed": false}},
	} {
		task, _ := send(t, c, says(step.part))
		if diff := cmp.Diff(step.want, answer(t, task)); diff != "" {
			t.Errorf("answer to %v differs (-want +got):\n%s", step.part.Content, diff)
		}
	}
}

func TestAPageCannotOpenADomain(t *testing.T) {
	f, _ := newSite(t)
	config := agent.NewConfig(f, agent.Options{})
	c := kittest.Run(t, config)
	for _, text := range []string{"add_domain evil.example", "remove_domain evil.example"} {
		task, _ := send(t, c, says(a2a.NewTextPart(text)))
		if task.Status.State != a2a.TaskStateFailed || !strings.Contains(status(task), agent.ReasonReadOnly) {
			t.Errorf("%s = %s: %s, want FAILED with %s", text, task.Status.State, status(task), agent.ReasonReadOnly)
		}
	}
	if domains, err := f.Allowlist().All(t.Context(), "default"); err != nil || len(domains) != 1 {
		t.Errorf("All() = %v, %v, want nothing new", domains, err)
	}
	for _, skill := range config.Skills {
		if skill.ID == agent.SkillAddDomain || skill.ID == agent.SkillRemoveDomain {
			t.Errorf("the card has the skill %s, want it left out", skill.ID)
		}
	}
}

func TestWhatIsSwitchedOffIsNotOnTheCard(t *testing.T) {
	for name, test := range map[string]struct {
		options webfetch.Options
		want    []string
	}{
		"everything":                     {webfetch.Options{}, []string{"fetch_url", "fetch_links", "extract", "list_domains"}},
		"fetching switched off":          {webfetch.Options{Disabled: true}, []string{"list_domains"}},
		"no service for a remote engine": {webfetch.Options{Profile: "myao"}, []string{"list_domains"}},
	} {
		f, err := webfetch.New(test.options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, skill := range agent.NewConfig(f, agent.Options{}).Skills {
			got = append(got, skill.ID)
		}
		f.Close()
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: skills differ (-want +got):\n%s", name, diff)
		}
	}
}

func TestArtifactsAreLabelledUntrusted(t *testing.T) {
	f, site := newSite(t)
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	task, progress := send(t, c, says(a2a.NewTextPart(site+"/article")))
	meta := task.Artifacts[0].Metadata
	if meta["trust"] != "untrusted" || meta["url"] != site+"/article" || meta["status_code"] != 200.0 || meta["title"] != "T" || meta["content"] != nil {
		t.Errorf("metadata = %v, want the facts about the page, untrusted, without the page", meta)
	}
	if !strings.Contains(progress, "Reading the page.") || !strings.Contains(progress, "characters from 127.0.0.1") {
		t.Errorf("progress = %q, want it to say what happens", progress)
	}
}

func TestTheCardOfDocument000(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{Profile: "000"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := agent.NewConfig(f, agent.Options{})
	if c.Name != "SlackAI-WebFetchAgent" || c.Version != "1.0.0" || !strings.HasPrefix(c.Description, "指定URLのWebコンテンツをテキストとして取得する専用エージェント。") {
		t.Errorf("NewConfig(profile 000) = %s %s %q, want the document's", c.Name, c.Version, c.Description)
	}
	if s := c.Skills[0]; s.ID != "fetch_url" || s.Name != "Fetch URL" || s.Description != "指定URLのWebコンテンツをテキストとして取得する。SSRFセキュリティ対策済み。" {
		t.Errorf("skill = %+v, want the document's", s)
	}
}
