package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
)

// maxGateBytes is how much of a task's state the verdicts of a gate take at most, encoded. A reviewer writes words and may record its verdict many
// times: a gate that does not fit into the store would neither open nor say why.
const maxGateBytes = 64 << 10

// gateRecord returns verdicts as a task keeps them: without the conditions, which are in the task's requirements, and with less evidence and shorter
// texts when there is too much. The ledger has everything.
func gateRecord(verdicts []consultation.RequirementVerdict) []consultation.RequirementVerdict {
	record := make([]consultation.RequirementVerdict, len(verdicts))
	for _, most := range []struct{ evidence, text int }{{20, maxMessage}, {1, maxMessage}, {0, 512}, {0, 64}} {
		for i, v := range verdicts {
			v.Requirement.Condition = nil
			v.Evidence = v.Evidence[:min(most.evidence, len(v.Evidence))]
			v.Reason, v.LookedFor, v.Found = bounded.Text(v.Reason, most.text), bounded.Text(v.LookedFor, most.text), bounded.Text(v.Found, most.text)
			record[i] = v
		}
		if encoded, err := json.Marshal(record); err == nil && len(encoded) <= maxGateBytes {
			break
		}
	}
	return record
}

// gateChanged reports whether a check has a result that is not in the task yet.
func gateChanged(t *orchestrator.Task, g orchestrator.Gate, state a2apb.TaskState) bool {
	if t.State != state {
		return true
	}
	for _, old := range t.Gates {
		if old.Phase == g.Phase {
			return old.Allowed != g.Allowed || old.Digest != g.Digest || !slices.EqualFunc(old.Requirements, g.Requirements, sameVerdict)
		}
	}
	return true
}

func sameVerdict(x, y consultation.RequirementVerdict) bool {
	return x.Requirement.ID == y.Requirement.ID && x.Applies == y.Applies && x.Verdict == y.Verdict && x.Reason == y.Reason
}

// gateSummary describes a gate in one line; the reasons are in the gate itself.
func gateSummary(g orchestrator.Gate) string {
	var b strings.Builder
	b.WriteString("gate " + string(g.Phase))
	if g.Allowed {
		b.WriteString(" is open")
	} else {
		b.WriteString(" is closed")
	}
	for _, r := range g.Requirements {
		if !r.Applies {
			b.WriteString("; requirement " + r.Requirement.ID + " does not apply")
			continue
		}
		b.WriteString("; requirement " + r.Requirement.ID + ": " + r.Verdict)
	}
	return b.String()
}

// gateError returns what a gate holds a task for.
func gateError(t *orchestrator.Task) *orchestrator.Error {
	for _, r := range t.Gates[len(t.Gates)-1].Requirements {
		if r.Blocks() {
			return &orchestrator.Error{Reason: r.Code, Message: r.Reason}
		}
	}
	return &orchestrator.Error{Reason: "CONSULTATION_MISSING", Message: "its gate is closed"}
}
