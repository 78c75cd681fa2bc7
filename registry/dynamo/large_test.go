package dynamo_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/storetest"
)

// large returns a record whose card needs an item of its own.
func large(letter byte, skills ...string) *registry.Record {
	r := storetest.Record("t", "a", skills...)
	r.RawCard = bytes.Repeat([]byte{letter}, 100<<10)
	r.TokenHash[0] = letter
	return r
}

// A card that is replaced between the reading of its agent and its own is read again: an agent without a card would seem to be a forged one.
func TestACardThatIsReplacedWhileItIsReadIsReadAgain(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	storetest.Put(t, s, large('a'))
	batches := 0
	chaos.Match = func(operation string) bool {
		if operation == "BatchGetItem" {
			batches++
		}
		if operation == "BatchGetItem" && batches == 2 {
			storetest.Put(t, s, large('b'))
		}
		return false
	}
	got, err := s.Agents(t.Context(), registry.Query{Tenant: "t", Names: []string{"a"}, Limit: 1})
	if err != nil || len(got) != 1 || batches != 2 || !bytes.Equal(got[0].RawCard, large('b').RawCard) {
		t.Errorf("Agents() = %d agents, %v after %d reads, want one after two, with the new card", len(got), err, batches)
	}
}

// names returns the keys of all items of a table.
func names(t *testing.T, db *ddb.Client, table string) (list []string) {
	t.Helper()
	found, err := db.API().Scan(t.Context(), &dynamodb.ScanInput{TableName: db.Table(table)})
	if err != nil {
		t.Fatalf("Scan(%s) = %v, want no error", table, err)
	}
	for _, item := range found.Items {
		list = append(list, ddb.TextOf(item, "agent_name"))
	}
	slices.Sort(list)
	return list
}

// TestNothingStaysOfWhatIsGone replaces all that an agent has, and then deletes it.
func TestNothingStaysOfWhatIsGone(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	put := func(r *registry.Record, version int64) {
		t.Helper()
		err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
			return registry.Change{Record: r, Version: &registry.Version{Number: version, RawCard: r.RawCard}}, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	skills := func(from int) (list []string) { // more than one transaction takes
		for i := range 90 {
			list = append(list, fmt.Sprint("s", from+i))
		}
		return list
	}
	put(large('c', skills(1000)...), 1)
	want := len(names(t, db, "AgentMetadata"))
	put(large('d', skills(2000)...), 2)
	if got := names(t, db, "AgentMetadata"); len(got) != want+1 { // an old version is kept
		t.Errorf("%d items after everything was replaced, want %d: %q", len(got), want+1, got)
	}
	err := s.Update(t.Context(), registry.Key{Tenant: "t", Name: "a"}, func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	for _, table := range []string{"AgentMetadata", "AgentStatus"} {
		if got := names(t, db, table); len(got) != 0 {
			t.Errorf("%s has %q after the agent was deleted, want nothing", table, got)
		}
	}
}
