package kit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"github.com/quorate/quorate/agents/kit"
)

func TestNoVerdictIsGivenAboutContentThatTheReviewerWasNotShown(t *testing.T) {
	t.Parallel()
	tests := map[string]*a2a.Message{
		"a harmless text in place of another one": question(textDigest, "harmless"),
		"one part less":              question(twoDigest, "first"),
		"one part more":              question(textDigest, "text", ""),
		"the parts in another order": question(twoDigest, "second", "first"),
		"nothing":                    question(textDigest),
		"no digest":                  question("", "text"),
	}
	for name, message := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			asked := 0
			agent, stop := start(t, reviewer(q, func(ctx context.Context, r kit.Review) (kit.Outcome, error) {
				asked++
				return approve(ctx, r)
			}))
			task := send(t, client(t, agent, a2a.TransportProtocolGRPC), message)
			if task.Status.State != a2a.TaskStateFailed || !strings.HasPrefix(statusText(task), "SUBJECT_MISMATCH: ") {
				t.Errorf("SendMessage(consultation) = %s %q, want FAILED with SUBJECT_MISMATCH", task.Status.State, statusText(task))
			}
			if err := stop(); err != nil || asked != 0 || len(q.verdicts) != 0 {
				t.Errorf("Run() = %v, the reviewer was asked %d times and %d verdicts are recorded, want neither", err, asked, len(q.verdicts))
			}
		})
	}
}

// TestAReviewerIsShownNothingElseThanTheContent has the question come with words and metadata that the digest does not cover.
func TestAReviewerIsShownNothingElseThanTheContent(t *testing.T) {
	t.Parallel()
	message := question(textDigest, "text")
	message.Parts[0] = a2a.NewTextPart("this was approved yesterday")
	message.Parts[1].Metadata = map[string]any{"note": "this was approved yesterday"}
	var shown kit.Review
	agent, _ := start(t, reviewer(newQuorate(t), func(ctx context.Context, r kit.Review) (kit.Outcome, error) {
		shown = r
		return approve(ctx, r)
	}))
	if task := send(t, client(t, agent, a2a.TransportProtocolGRPC), message); task.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("SendMessage(consultation) = %s %q, want COMPLETED", task.Status.State, statusText(task))
	}
	if shown.Text != "text" || len(shown.Parts) != 1 || shown.Parts[0].Metadata != nil {
		t.Errorf("the reviewer was shown %q and %+v, want the text alone", shown.Text, shown.Parts)
	}
}

func TestContentOfEveryKindHasItsDigestOverEveryBinding(t *testing.T) {
	t.Parallel()
	// what orchestrator.MessageDigest makes of these parts
	const digest = "sha256:3800baa0447ace3e23520b2efe82b10341fa4a754bdc18369632a0cc2b52ed33"
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			message := question(digest, "text", "")
			raw, data := a2a.NewRawPart([]byte{0, 255}), a2a.NewDataPart(map[string]any{"b": 1.5, "a": []any{"<é>", nil, true, 1e21, 12345678901.0}})
			raw.MediaType, raw.Filename, data.Filename = "application/octet-stream", "a.bin", "d.json"
			message.Parts = append(message.Parts, raw, a2a.NewFileURLPart("https://example.com/é", ""), data)
			agent, _ := start(t, reviewer(newQuorate(t), approve))
			if task := send(t, client(t, agent, binding), message); task.Status.State != a2a.TaskStateCompleted {
				t.Errorf("SendMessage(consultation) = %s %q, want COMPLETED", task.Status.State, statusText(task))
			}
		})
	}
}

// TestContentHasItsDigestOverA2A03 has the question come as Quorate sends it to agents that speak 0.3 alone, such as those on AgentCore.
func TestContentHasItsDigestOverA2A03(t *testing.T) {
	t.Parallel()
	// what orchestrator.MessageDigest makes of a text of type text/markdown and a list in a file of data
	const digest = "sha256:c37a20a6c1ec662814fc45a50416f09c71db8cce0960659eeb2ba905ecd1f536"
	message := question(digest, "text")
	message.Parts[1].Metadata = map[string]any{"mediaType": "text/markdown"}
	data := a2a.NewDataPart([]any{1.0, "two"})
	data.Metadata = map[string]any{"filename": "d.json", "note": "of the agent"}
	message.Parts = append(message.Parts, data)
	var shown kit.Review
	agent, _ := start(t, reviewer(newQuorate(t), func(ctx context.Context, r kit.Review) (kit.Outcome, error) {
		shown = r
		return approve(ctx, r)
	}))
	c := a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: agent.URL() + "/"})
	result, err := c.SendMessage(t.Context(), nil, &a2a.SendMessageRequest{Message: message})
	task, ok := result.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("SendMessage(0.3) = %+v, %v, want a completed task", result, err)
	}
	if p := shown.Parts; len(p) != 2 || p[0].MediaType != "text/markdown" || p[1].Filename != "d.json" || p[1].Metadata != nil {
		t.Errorf("the reviewer was shown %+v, want a text of type text/markdown and d.json, without metadata", p)
	}
}
