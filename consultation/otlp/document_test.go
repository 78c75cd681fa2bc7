package otlp_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
)

// TestTheDocumentNamesTheSpan is for those who write a reviewer without the kit: they know the span from this page alone.
func TestTheDocumentNamesTheSpan(t *testing.T) {
	page := document(t)
	for _, name := range []string{
		otlp.SpanName, otlp.IDKey, otlp.TaskKey, otlp.RequirementKey, otlp.PhaseKey, otlp.SourceKey, otlp.TargetKey, otlp.OutcomeKey,
		otlp.AttemptKey, otlp.DigestKey, otlp.FeedbackKey, otlp.SchemaVersionKey, otlp.SignatureKey,
	} {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name `%s`", name)
		}
	}
}

// TestTheDocumentNamesWhatIsSigned is for those who sign without the kit.
func TestTheDocumentNamesWhatIsSigned(t *testing.T) {
	payload, err := consultation.Claim{}.Payload()
	var signed map[string]any
	if err := errors.Join(err, json.Unmarshal(payload, &signed)); err != nil {
		t.Fatalf("Payload() = %s, %v, want JSON", payload, err)
	}
	page := document(t)
	for name := range signed {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name `%s`", name)
		}
	}
	if !strings.Contains(page, "`"+consultation.OutcomeType+"`") {
		t.Errorf("the page does not say that the type is `%s`", consultation.OutcomeType)
	}
}

func document(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reviewing.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
