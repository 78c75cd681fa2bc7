package agentmessage_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
)

func TestALargeContentIsLeftOutAndStillKnown(t *testing.T) {
	for name, test := range map[string]struct {
		size    int
		omitted bool
	}{
		"small": {1 << 10, false},
		"large": {agentmessage.MaxCarriedBytes, true},
	} {
		t.Run(name, func(t *testing.T) {
			content := text(strings.Repeat("x", test.size)).GetParts()
			c := consultation.Consultation{ID: "c", TaskID: "t", SourceAgent: "web", TargetAgent: "reviewer", Phase: "pre-completion", SubjectDigest: "sha256:1"}
			asked, err := agentmessage.Question(c, "", content)
			if err != nil {
				t.Fatalf("Question() = %v", err)
			}
			stored := agentmessage.WithoutLargeContent(asked)
			if len(asked.GetParts()) != 2 || (len(stored.GetParts()) == 1) != test.omitted {
				t.Errorf("%d parts are asked and %d stored, want two, and one only if the content is large", len(asked.GetParts()), len(stored.GetParts()))
			}
			p, digest, omitted := agentmessage.OmittedContent(&orchestrator.Task{Message: stored, Parent: &orchestrator.Parent{TaskID: "t", ConsultationID: "c"}})
			if omitted != test.omitted || omitted && (p != orchestrator.PhasePreCompletion || digest != c.SubjectDigest) {
				t.Errorf("OmittedContent() = %q, %q, %t, want %t, and which content it is", p, digest, omitted, test.omitted)
			}
			if _, _, omitted := agentmessage.OmittedContent(&orchestrator.Task{Message: stored}); omitted {
				t.Error("OmittedContent() of a task that carries no consultation = true, want false")
			}
		})
	}
}
