package engine

import (
	"encoding/json"

	"github.com/quorate/quorate/consultation"
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
