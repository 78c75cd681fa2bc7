package dynamo_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

func TestWhatDynamoDBRefusesIsAnError(t *testing.T) {
	t.Parallel()
	var deny dynamotest.Denier
	s, n := open(t, &deny, dynamo.Options{}), 0
	add := func() error {
		n++
		return s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
			return consultation.Consultation{ID: strconv.Itoa(n), Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
		})
	}
	if err := add(); err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	for name, do := range map[string]func() error{
		"Append": add,
		"Update": func() error {
			return s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
				e.Consultation.Feedback += "x"
				return e, nil
			})
		},
		"Get":  func() error { _, err := s.Get(t.Context(), "a", "1"); return err },
		"List": func() error { _, err := s.List(t.Context(), "a", "t"); return err },
	} {
		deny.Each(t, name, do)
	}
}

// A part of a consultation must not pass for the whole: what is missing would be lost with the next write.
func TestAnItemThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	s, id := dynamo.New(db, dynamo.Options{}), "1"
	next := func([]consultation.Entry) (consultation.Consultation, error) {
		return consultation.Consultation{ID: id, Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
	}
	if err := s.Append(t.Context(), "a", "t", next); err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	_, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("ConsultationEvidence"), UpdateExpression: aws.String("SET evidence = :text"),
		Key:                       ddb.Item{"task_key": &types.AttributeValueMemberS{Value: "a#t"}, "number": &types.AttributeValueMemberN{Value: "0"}},
		ExpressionAttributeValues: ddb.Item{":text": &types.AttributeValueMemberS{Value: "approved"}},
	})
	if err != nil {
		t.Fatalf("UpdateItem() = %v, want no error", err)
	}
	if e, err := s.Get(t.Context(), "a", "1"); err == nil {
		t.Errorf("Get() = %v, want an error", e)
	}
	if list, err := s.List(t.Context(), "a", "t"); err == nil {
		t.Errorf("List() = %v, want an error", list)
	}
	id = "2"
	if err := s.Append(t.Context(), "a", "t", next); err == nil {
		t.Error("Append() = nil, want an error")
	}
	if err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) { return e, nil }); err == nil {
		t.Error("Update() = nil, want an error")
	}
}
