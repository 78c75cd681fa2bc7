package dynamo

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
)

// What this version writes need not be compared with anything, which takes as long as writing it.
func TestThisVersionKnowsWhatItWrites(t *testing.T) {
	t.Parallel()
	why := &orchestrator.Error{Reason: "R", Message: "M"}
	task := orchestrator.Task{
		Tenant: "default", ID: "a", Error: why, Parent: &orchestrator.Parent{TaskID: "p"}, Inputs: []orchestrator.Given{{As: "i"}},
		Attempts: []orchestrator.Attempt{{Number: 1, Error: why}}, Turns: []orchestrator.Turn{{Number: 1}}, Webhooks: []orchestrator.Webhook{{ID: "w", GaveUp: "g"}},
		Plan: &orchestrator.Plan{Inputs: []orchestrator.Typed{{}}, Steps: []orchestrator.Step{{Error: why}}, Asking: &orchestrator.Asking{Step: 1, Gate: "g"}},
	}
	item, err := new(Store).encode(&state{task: task})
	if err != nil {
		t.Fatalf("encode() = %v, want no error", err)
	}
	for attribute := range fields {
		if isNewer(item[attribute]) {
			t.Errorf("attribute %s = %v, want that this version knows it", attribute, item[attribute])
		}
	}
}
