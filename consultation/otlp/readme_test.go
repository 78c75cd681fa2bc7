package otlp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation/otlp"
)

// TestTheREADMENamesTheSpan is for those who write a reviewer without the kit: they know the span from the README alone.
func TestTheREADMENamesTheSpan(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		otlp.SpanName, otlp.IDKey, otlp.TaskKey, otlp.RequirementKey, otlp.PhaseKey, otlp.SourceKey, otlp.TargetKey, otlp.OutcomeKey,
		otlp.AttemptKey, otlp.DigestKey, otlp.FeedbackKey, otlp.SchemaVersionKey, otlp.SignatureKey,
	} {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the README does not name `%s`", name)
		}
	}
}
