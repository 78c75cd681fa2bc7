package dynamo_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/dynamo"
	"github.com/quorate/quorate/consultation/storetest"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

// open returns a store in new tables.
func open(t *testing.T, transport http.RoundTripper, o dynamo.Options) *dynamo.Store {
	t.Helper()
	db := dynamotest.Open(t, transport)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	return dynamo.New(db, o)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) consultation.Store {
		t.Helper()
		return open(t, nil, dynamo.Options{})
	})
}

func TestStoreOnABadDay(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t) // without one there is nothing to disturb
	chaos := dynamotest.NewChaos(1)
	chaos.Throttle, chaos.Conflict, chaos.Lost, chaos.Down = 0.05, 0.1, 0.1, 0.02
	t.Cleanup(func() {
		for _, disturbance := range []string{"throttle", "conflict", "lost", "down"} {
			if chaos.Count(disturbance) == 0 {
				t.Errorf("Count(%s) = 0, want some: the test shows nothing", disturbance)
			}
		}
	})
	storetest.Run(t, func(t *testing.T) consultation.Store {
		t.Helper()
		return open(t, chaos, dynamo.Options{})
	})
}

func TestWhatIsOverIsNotReadThoughItIsStillThere(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := open(t, nil, dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	add := func(id string) {
		t.Helper()
		err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
			return consultation.Consultation{ID: id, Tenant: "a", TaskID: "t", IssueTime: now}, nil
		})
		if err != nil {
			t.Fatalf("Append(%s) = %v, want no error", id, err)
		}
	}
	add("1")
	now = now.Add(30 * time.Minute)
	add("2")
	now = now.Add(30 * time.Minute)
	add("3")
	list, err := s.List(t.Context(), "a", "t")
	if err != nil || len(list) != 2 || list[0].Consultation.ID != "2" || list[1].Consultation.ID != "3" {
		t.Errorf("List() = %v, %v, want 2 and 3", list, err)
	}
	if _, err := s.Get(t.Context(), "a", "1"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Get(1) = %v, want CONSULTATION_NOT_FOUND", err)
	}
}

func TestBothItemsOfAConsultationAreRemovedByDynamoDB(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	issued := time.Unix(1_000_000, 0)
	s := dynamo.New(db, dynamo.Options{Keep: time.Hour, Now: func() time.Time { return issued }})
	err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
		return consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", IssueTime: issued}, nil
	})
	if err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	for _, key := range []string{"a#t", "a#%id#1"} {
		where := ddb.Item{"task_key": &types.AttributeValueMemberS{Value: key}, "number": &types.AttributeValueMemberN{Value: "0"}}
		items, err := db.BatchGet(t.Context(), "ConsultationEvidence", []ddb.Item{where})
		if err != nil || len(items) != 1 {
			t.Fatalf("BatchGet(%s) = %v, %v, want one item", key, items, err)
		}
		if ttl, _ := items[0]["ttl"].(*types.AttributeValueMemberN); ttl == nil || ttl.Value != "1003600" {
			t.Errorf("the ttl of %s = %v, want an hour after the issue", key, items[0]["ttl"])
		}
	}
}

// DynamoDB removes items whose time is over in any order: what finds a consultation by its id may outlive it, and its number be given to another one.
func TestTheIDOfAConsultationThatIsOverFindsNoOther(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	s := dynamo.New(db, dynamo.Options{})
	add := func(id string) {
		t.Helper()
		err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
			return consultation.Consultation{ID: id, Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
		})
		if err != nil {
			t.Fatalf("Append(%s) = %v, want no error", id, err)
		}
	}
	add("1")
	over := ddb.Item{"task_key": &types.AttributeValueMemberS{Value: "a#t"}, "number": &types.AttributeValueMemberN{Value: "0"}}
	if err := db.BatchWrite(t.Context(), "ConsultationEvidence", []types.WriteRequest{{DeleteRequest: &types.DeleteRequest{Key: over}}}); err != nil {
		t.Fatalf("BatchWrite() = %v, want no error", err)
	}
	add("2")
	if e, err := s.Get(t.Context(), "a", "1"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Get(1) = %+v, %v, want CONSULTATION_NOT_FOUND", e.Consultation, err)
	}
	err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) { return e, nil })
	if fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Update(1) = %v, want CONSULTATION_NOT_FOUND", err)
	}
}
