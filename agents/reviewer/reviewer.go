package reviewer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
)

// Name is the agent's name.
const Name = "reviewer"

const maxFindings = 8 // listed in the feedback; the rest is only counted

// Config returns the agent's configuration. The caller adds the listener and the settings for joining Quorate.
//
// The agent answers a consultation with the verdict about its subject, and any other task with the verdict about its message.
func Config() kit.Config {
	return kit.Config{
		Name:        Name,
		Description: "Rejects content that holds a secret or is empty, by fixed rules; approves the rest.",
		Version:     "0.1.0",
		Skills: []kit.Skill{{
			ID: "review", Name: "Review", Description: "Looks for secrets in a text and says where they are.",
			Tags: []string{"review", "security"}, Examples: []string{"Is there a secret in this text?"},
		}},
		Handler: func(ctx context.Context, t *kit.Task) error {
			outcome := reviewParts(t.Parts)
			return t.AddArtifact(ctx, kit.Artifact{Name: "verdict", MediaType: "text/plain", Text: outcome.Verdict + ": " + outcome.Feedback})
		},
		Reviewer: func(_ context.Context, r kit.Review) (kit.Outcome, error) { return reviewParts(r.Parts), nil },
	}
}

const empty = "empty: there is nothing to review"

// reviewParts returns the verdict about all parts together. A part that cannot be read is a reason to reject, because it may contain anything.
func reviewParts(parts []*a2a.Part) kit.Outcome {
	var findings []string
	blank := true
	for i, part := range parts {
		where := ""
		if len(parts) > 1 {
			where = fmt.Sprintf("part %d, ", i+1)
		}
		findings = append(findings, scan(where+"file name, ", part.Filename)...)
		findings = append(findings, scan(where+"media type, ", part.MediaType)...)
		text, ok := readable(part)
		if !ok {
			findings = append(findings, fmt.Sprintf("unreadable: part %d is not text", i+1))
			blank = false
			continue
		}
		blank = blank && (strings.TrimSpace(text) == "" || besideContent(part))
		findings = append(findings, scan(where, text)...)
	}
	switch {
	case blank:
		findings = []string{empty}
	case len(findings) == 0:
		findings = scanPieces(parts)
	}
	return decide(findings...)
}

// scanPieces returns what is found only in parts together: an agent that streams a text makes a part of every few letters of it.
func scanPieces(parts []*a2a.Part) []string {
	var findings []string
	for i := 0; i < len(parts); i++ {
		first := i
		var text strings.Builder
		for ; i < len(parts) && parts[i].Data() == nil; i++ {
			piece, _ := readable(parts[i]) // all are, or there would be a finding
			text.WriteString(piece)
		}
		findings = append(findings, scan(fmt.Sprintf("parts %d to %d, ", first+1, i), text.String())...)
	}
	return findings
}

// besideContent reports whether a part holds names, metadata and the like, as Quorate puts them behind what they belong to: who delivers nothing else
// delivers nothing.
func besideContent(part *a2a.Part) bool {
	data, _ := part.Data().(map[string]any)
	for key := range data {
		if _, object := data[key].(map[string]any); !object || !slices.Contains([]string{"artifact", "message", "task"}, key) {
			return false
		}
	}
	return len(data) == 1
}

// readable returns the content of a part as text: text, data, or raw bytes that are valid UTF-8 without NUL.
func readable(part *a2a.Part) (text string, ok bool) {
	switch content := part.Content.(type) {
	case a2a.Text:
		return string(content), true
	case a2a.Raw:
		return string(content), utf8.Valid(content) && !bytes.ContainsRune(content, 0)
	case a2a.Data:
		var lines bytes.Buffer
		encoder := json.NewEncoder(&lines)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent(" ", "") // one line for each value, so that a finding can name the line; not indented by depth, which whoever is reviewed chooses
		err := encoder.Encode(content.Value)
		return lines.String(), err == nil
	}
	return "", false
}

// scan returns a finding for each rule and line.
func scan(where, text string) []string {
	var findings []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, r := range rules {
			if r.finds(line) {
				findings = append(findings, fmt.Sprintf("%s: %sline %d holds %s", r.name, where, number, r.what))
			}
		}
	}
	return findings
}

func decide(findings ...string) kit.Outcome {
	if len(findings) == 0 {
		return kit.Outcome{Verdict: kit.Approved, Feedback: "no rule objects"}
	}
	feedback := strings.Join(findings[:min(len(findings), maxFindings)], "; ")
	if more := len(findings) - maxFindings; more > 0 {
		feedback += fmt.Sprintf("; and %d more", more)
	}
	return kit.Outcome{Verdict: kit.Rejected, Feedback: feedback}
}
