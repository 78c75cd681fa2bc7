package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// artifactOf returns the page as an artifact. The page's other fields are its metadata, above all trust.
func artifactOf(page *webfetch.Page) kit.Artifact {
	artifact := kit.Artifact{Name: "page.md", MediaType: "text/markdown", Text: page.Text(), Metadata: facts(page)}
	switch page.Format {
	case webfetch.Text:
		artifact.Name, artifact.MediaType = "page.txt", "text/plain"
	case webfetch.HTML:
		artifact.Name, artifact.MediaType = "page.html", "text/html"
	case webfetch.JSON, webfetch.Links:
		artifact.Name, artifact.MediaType = "page.json", "application/json"
	case webfetch.Raw:
		artifact.Name, artifact.MediaType = "page.txt", "text/plain"
	case webfetch.Markdown:
	}
	return artifact
}

// facts returns the fields of the page but its content.
func facts(page *webfetch.Page) map[string]any {
	without := *page
	without.Content = ""
	raw, err := json.Marshal(without)
	if err != nil {
		return map[string]any{"trust": webfetch.Untrusted}
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return map[string]any{"trust": webfetch.Untrusted}
	}
	delete(fields, "content")
	return fields
}

// handleDomains executes the skills for the list of domains, with the answers of document 002.
func (h handler) handleDomains(ctx context.Context, t *kit.Task, o order) error {
	list := h.fetcher.Allowlist()
	var answer any
	switch {
	case o.skill == SkillListDomains:
		domains, err := list.All(ctx, auth.DefaultTenant)
		if err != nil {
			return err
		}
		answer = map[string]any{"domains": domains}
	case !h.options.AllowlistWrite:
		return fault.New(fault.PermissionDenied, ReasonReadOnly, "the list of domains cannot be changed through this agent; ask an operator to do it")
	case o.skill == SkillAddDomain:
		entry, added, err := list.Add(ctx, auth.DefaultTenant, o.domain, Name)
		if err != nil {
			return err
		}
		answer = map[string]any{"domain": entry.Domain, "added": added}
	default:
		domain, removed, err := list.Remove(ctx, auth.DefaultTenant, o.domain)
		if err != nil {
			return err
		}
		answer = map[string]any{"domain": domain, "removed": removed}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return t.AddArtifact(ctx, kit.Artifact{Name: "domains.json", MediaType: "application/json", Text: string(text)})
}
