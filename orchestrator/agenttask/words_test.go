package agenttask_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
)

// TestTheLogSaysThatAnAgentSpoke has messages with and without text.
func TestTheLogSaysThatAnAgentSpoke(t *testing.T) {
	t.Parallel()
	data := func(words string) []*a2apb.Part {
		return []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewStringValue(words)}}}
	}
	for name, test := range map[string]struct {
		parts []*a2apb.Part
		text  string
		said  bool
	}{
		"text":              {text("on it"), "on it", false},
		"data":              {data("x"), "a message without text", true},
		"text and data":     {append(text("on it"), data("x")...), "on it", true},
		"too much data":     {data(strings.Repeat("x", orchestrator.MaxSaying)), "a message without text", false},
		"an empty text":     {text(""), "", false},
		"nothing":           {nil, "", false},
		"more than is kept": {text(strings.Repeat("é", 4001)), strings.Repeat("é", 4000) + "… (cut)", true},
	} {
		h := agenttask.Task{Status: &a2apb.Message{MessageId: "m", Parts: test.parts}}
		if got, said := h.Progress(); got != test.text || (said != "") != test.said {
			t.Errorf("Progress() of %s = %.60q with %.60q, want %.60q, and beside it the message: %t", name, got, said, test.text, test.said)
		}
	}
}
