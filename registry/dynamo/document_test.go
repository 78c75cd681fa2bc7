package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/storetest"
)

// Programs that read the table expect these of every element, as the data model has them.
func TestTruthValuesOfTheDataModelAreInTheTableEvenIfFalse(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	r := storetest.Record("t", "a")
	r.Metadata = agentcard.Metadata{
		InputSchemas:             []agentcard.InputSchema{{Name: "spec", SemanticType: "document"}, {Name: "plan", SemanticType: "document", Required: true}},
		OutputSchemas:            []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact"}, {Name: "log", SemanticType: "document", Guaranteed: true}},
		ConsultationRequirements: []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "b", Phase: "on-error"}, {ID: "s", TargetAgent: "b", Phase: "on-error", Mandatory: true}},
	}
	storetest.Put(t, s, r)
	items, err := db.BatchGet(t.Context(), "AgentMetadata", []ddb.Item{key("t#a")})
	if err != nil || len(items) != 1 {
		t.Fatalf("BatchGet() = %v, %v, want the item", items, err)
	}
	for list, name := range map[string]string{"input_schemas": "required", "output_schemas": "guaranteed", "consultation_requirements": "mandatory"} {
		elements, _ := items[0][list].(*types.AttributeValueMemberL)
		if elements == nil || len(elements.Value) != 2 {
			t.Errorf("%s = %v, want two elements", list, items[0][list])
			continue
		}
		for i, want := range []bool{false, true} {
			element, _ := elements.Value[i].(*types.AttributeValueMemberM)
			if got, ok := element.Value[name].(*types.AttributeValueMemberBOOL); !ok || got.Value != want {
				t.Errorf("%s[%d].%s = %v, want %t", list, i, name, element.Value[name], want)
			}
		}
	}
}
