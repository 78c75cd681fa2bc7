package otlp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation/otlp"
)

// TestTheDocumentNamesTheSpan is for those who write a reviewer without the kit: they know the span from this page alone.
func TestTheDocumentNamesTheSpan(t *testing.T) {
	page, err := os.ReadFile("../../docs/reviewing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		otlp.SpanName, otlp.IDKey, otlp.TaskKey, otlp.RequirementKey, otlp.PhaseKey, otlp.SourceKey, otlp.TargetKey, otlp.OutcomeKey,
		otlp.AttemptKey, otlp.DigestKey, otlp.FeedbackKey, otlp.SchemaVersionKey, otlp.SignatureKey,
	} {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not name `%s`", name)
		}
	}
}
