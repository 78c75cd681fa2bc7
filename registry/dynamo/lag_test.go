package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// openBoth returns a store and the client that it uses.
func openBoth(t *testing.T, transport http.RoundTripper) (*dynamo.Store, *ddb.Client) {
	t.Helper()
	db := dynamotest.Open(t, transport)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	return dynamo.New(db), db
}

func skillNames(t *testing.T, s *dynamo.Store, skill string) string {
	t.Helper()
	records, err := s.Agents(t.Context(), registry.Query{Tenant: "t", Skill: skill, Limit: 9})
	if err != nil {
		t.Fatalf("Agents() = %v, want no error", err)
	}
	var names strings.Builder
	for i := range records {
		names.WriteString(records[i].Name)
	}
	return names.String()
}

func key(name string) ddb.Item {
	return ddb.Item{"agent_name": &types.AttributeValueMemberS{Value: name}}
}

func TestAnOldPageOfAnIndexShowsNothingThatIsGone(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	storetest.Put(t, s, storetest.Record("t", "a", "fetch"))
	storetest.Put(t, s, storetest.Record("t", "b", "fetch"))
	storetest.Put(t, s, storetest.Record("t", "c", "fetch"))
	if got := skillNames(t, s, "fetch"); got != "abc" {
		t.Fatalf("Agents(fetch) = %s, want abc", got)
	}
	chaos.Stale = 1 // from here on the index shows what it showed just now
	storetest.Put(t, s, storetest.Record("t", "a", "read"))
	if err := s.Update(t.Context(), registry.Key{Tenant: "t", Name: "b"}, func(*registry.Record) (registry.Change, error) {
		return registry.Change{}, nil
	}); err != nil {
		t.Fatalf("Update() to delete = %v, want no error", err)
	}
	if got := skillNames(t, s, "fetch"); got != "c" {
		t.Errorf("Agents(fetch) = %s, want c", got)
	}
}

func TestADirectoryMissesNothingThatAnIndexDoesNotShowYet(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	chaos.Stale = 1 // the index shows nothing at all
	storetest.Put(t, s, storetest.Record("t", "a", "fetch"))
	d := registry.New(s, registry.Options{}).Directory()
	if err := d.Sync(t.Context(), "t"); err != nil {
		t.Fatalf("Sync() = %v, want no error", err)
	}
	if _, ok := d.Agent("t", "a"); !ok {
		t.Error("Agent(a) is not there after Sync(), want it: the log tells of it")
	}
}

func TestRowsOfAGenerationThatNoAgentNamesAreRemoved(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	storetest.Put(t, s, storetest.Record("t", "a", "fetch"))
	row := func(generation string, at time.Time) ddb.Item { // as a writer that died before the flip leaves it
		item := key("t#a#" + generation + "#fetch")
		item["skill_id"] = &types.AttributeValueMemberS{Value: "t#fetch"}
		item["created_at"] = &types.AttributeValueMemberS{Value: at.UTC().Format(time.RFC3339Nano)}
		return item
	}
	rows := []ddb.Item{row("DEAD", time.Now().Add(-2*time.Hour)), row("STAGED", time.Now())}
	for _, item := range rows {
		if err := db.Put(t.Context(), types.Put{TableName: db.Table("AgentMetadata"), Item: item}); err != nil {
			t.Fatalf("Put() = %v, want no error", err)
		}
	}
	if got := skillNames(t, s, "fetch"); got != "a" {
		t.Errorf("Agents(fetch) = %s, want a, once", got)
	}
	left, err := db.BatchGet(t.Context(), "AgentMetadata", []ddb.Item{key("t#a#DEAD#fetch"), key("t#a#STAGED#fetch")})
	if err != nil || len(left) != 1 {
		t.Errorf("BatchGet() = %d rows, %v, want the one that a writer may still be at work on", len(left), err)
	}
}

// TestABeatDoesNotBringAStatusBackWhoseAgentGoes has an agent deleted between the reading and the writing of a status that was collected.
func TestABeatDoesNotBringAStatusBackWhoseAgentGoes(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	for name, announced := range map[string]string{"a": "", "b": registry.StatusAvailable} { // which the log is told
		r, item := storetest.Record("t", name), key("t#"+name)
		storetest.Put(t, s, r)
		if _, err := db.API().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: db.Table("AgentStatus"), Key: item}); err != nil {
			t.Fatalf("DeleteItem() = %v, want no error", err)
		}
		err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) {
			p.Announced = announced
			return p, s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
		})
		left, readErr := db.BatchGet(t.Context(), "AgentStatus", []ddb.Item{item})
		if fault.ReasonOf(err) != "AGENT_NOT_FOUND" || len(left) != 0 || readErr != nil {
			t.Errorf("UpdatePulse(%s) = %v with the status %v (%v) in the table, want AGENT_NOT_FOUND and none", name, err, left, readErr)
		}
	}
}

func TestAStatusThatWasCollectedComesBackWithALaterEpoch(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	r := storetest.Record("t", "a")
	storetest.Put(t, s, r)
	beat := func(s *dynamo.Store) (epoch int64) {
		t.Helper()
		err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) {
			p.Epoch++
			epoch = p.Epoch
			return p, nil
		})
		if err != nil {
			t.Fatalf("UpdatePulse() = %v, want no error", err)
		}
		return epoch
	}
	if got := beat(s); got != 1 {
		t.Fatalf("epoch = %d, want 1", got)
	}
	collect := func() {
		t.Helper()
		if _, err := db.API().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: db.Table("AgentStatus"), Key: key("t#a")}); err != nil {
			t.Fatalf("DeleteItem() = %v, want no error", err)
		}
	}
	collect()
	if got := beat(s); got < 1000 { // it knew the status that is not there any more
		t.Errorf("epoch after collection = %d, want one beyond all that were given out", got)
	}
	collect()
	if got := beat(dynamo.New(db)); got < 1000 {
		t.Errorf("epoch of another replica after collection = %d, want one beyond all that were given out", got)
	}
}

func TestOnlyTheStatusOfAnAgentThatIsNotDrainedIsEverGarbage(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	r := storetest.Record("t", "a")
	storetest.Put(t, s, r)
	lease := time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)
	for _, drained := range []time.Time{{}, lease.Add(-time.Hour), {}} {
		err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) {
			p.BeatExpire, p.DrainTime = lease, drained
			return p, nil
		})
		if err != nil {
			t.Fatalf("UpdatePulse() = %v, want no error", err)
		}
		got, err := db.API().GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: db.Table("AgentStatus"), Key: key("t#a"), ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			t.Fatalf("GetItem() = %v, want no error", err)
		}
		ttl, _ := got.Item["ttl"].(*types.AttributeValueMemberN)
		switch {
		case !drained.IsZero() && ttl != nil:
			t.Errorf("ttl of a drained agent = %s, want none: its drain must not be collected", ttl.Value)
		case drained.IsZero() && (ttl == nil || ttl.Value != strconv.FormatInt(lease.AddDate(0, 0, 90).Unix(), 10)):
			t.Errorf("ttl = %v, want 90 days behind the lease", ttl)
		}
	}
}

func TestABeatIsOneWriteAndNoRead(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	r := registry.New(s, registry.Options{})
	storetest.Put(t, s, storetest.Record("t", "a"))
	beat := registry.Beat{Agent: "a", Status: registry.StatusAvailable}
	lease, err := r.Heartbeat(t.Context(), "t", beat)
	if err != nil {
		t.Fatalf("Heartbeat() = %v, want no error", err)
	}
	chaos.Match = func(operation string) bool { return operation != "PutItem" }
	chaos.Down = 1 // whatever else is called fails
	beat.Epoch = lease.Epoch
	for range 3 {
		if _, err := r.Heartbeat(t.Context(), "t", beat); err != nil {
			t.Errorf("Heartbeat() with nothing but PutItem = %v, want no error", err)
		}
	}
}

func TestReplicasShareOneLog(t *testing.T) {
	t.Parallel()
	first, db := openBoth(t, nil)
	second := dynamo.New(db)
	for i := range 6 {
		storetest.Put(t, []*dynamo.Store{first, second}[i%2], storetest.Record("t", fmt.Sprintf("a%d", i)))
	}
	entries, err := second.Changes(t.Context(), "t", 0, 100)
	if err != nil || len(entries) != 6 || entries[5].Revision != 6 {
		t.Errorf("Changes() = %v, %v, want six without a gap", entries, err)
	}
}

func TestAWriteWithoutAnAnswerIsSettledByTheItem(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	r := storetest.Record("t", "a")
	storetest.Put(t, s, r)
	chaos.Match = func(operation string) bool { return operation == "TransactWriteItems" || operation == "PutItem" }
	chaos.Lost = 1 // each write is made, and none is ever answered
	next := *r
	next.Revision = 2
	if err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{Record: &next}, nil }); err != nil {
		t.Errorf("Update() = %v, want no error: the item shows that it was made", err)
	}
	if err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { p.Epoch++; return p, nil }); err != nil {
		t.Errorf("UpdatePulse() = %v, want no error: the item shows that it was made", err)
	}
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
	if fault.ReasonOf(err) != "WRITE_OUTCOME_UNKNOWN" {
		t.Errorf("Update() to delete = %v, want WRITE_OUTCOME_UNKNOWN: nobody can tell who deleted it", err)
	}
	pulses, err := s.Pulses(t.Context(), r.Key())
	if err != nil || pulses[r.Key()].Epoch > 1 {
		t.Errorf("Pulses() = %v, %v, want epoch 1 at most", pulses, err)
	}
}

// losing makes a transaction and loses its answer. What others do meanwhile comes before it is sent again, which does not arrive.
type losing struct {
	meanwhile func() // nil: nothing is lost
	lost      []byte
}

func (l *losing) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	meanwhile := l.meanwhile
	transaction := strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".TransactWriteItems")
	switch {
	case l.lost != nil && bytes.Equal(body, l.lost):
		return nil, io.ErrUnexpectedEOF
	case !transaction || meanwhile == nil:
		return dynamotest.NewChaos(1).RoundTrip(request)
	}
	l.meanwhile, l.lost = nil, body
	response, err := dynamotest.NewChaos(1).RoundTrip(request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	meanwhile()
	return nil, io.ErrUnexpectedEOF
}

func TestAWriteWithoutAnAnswerIsKnownAmongThoseAfterIt(t *testing.T) {
	t.Parallel()
	l := &losing{}
	s, db := openBoth(t, l)
	r := storetest.Record("t", "a")
	storetest.Put(t, s, r)
	made := 0
	write := func(s *dynamo.Store) error {
		return s.Update(t.Context(), r.Key(), func(old *registry.Record) (registry.Change, error) {
			made++
			next := *old
			next.Revision++
			return registry.Change{Record: &next}, nil
		})
	}
	l.meanwhile = func() {
		for range 3 {
			if err := write(dynamo.New(db)); err != nil {
				t.Errorf("Update() of another = %v, want no error", err)
			}
		}
	}
	if err := write(s); err != nil || made != 4 {
		t.Errorf("Update() = %v after %d writes in all, want no error and 4: the item still shows that it was made", err, made)
	}
}

func TestAMappingAndAKeyWithoutAnAnswerAreSettledByTheirItems(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	chaos.Match = func(operation string) bool { return operation == "TransactWriteItems" }
	chaos.Lost = 1 // each write is made, and none is ever answered
	mapping := registry.Mapping{From: "document", To: "collection"}
	err := s.UpdateMappings(t.Context(), "t", func([]registry.Mapping) (registry.MappingChange, error) {
		return registry.MappingChange{Mappings: []registry.Mapping{mapping}}, nil
	})
	if err != nil {
		t.Errorf("UpdateMappings() = %v, want no error: the item shows that it was made", err)
	}
	if err := s.PutSigningKey(t.Context(), registry.SigningKey{Tenant: "t", ID: "k", JWK: []byte("{}")}, nil); err != nil {
		t.Errorf("PutSigningKey() = %v, want no error: the item shows that it was made", err)
	}
	if ok, err := s.DeleteSigningKey(t.Context(), "t", "k", nil); !ok || err != nil {
		t.Errorf("DeleteSigningKey() = %t, %v, want true and no error: the item shows that it was made", ok, err)
	}
	mappings, err := s.Mappings(t.Context(), "t")
	keys, err2 := s.SigningKeys(t.Context(), "t")
	if err != nil || err2 != nil || len(mappings) != 1 || len(keys) != 0 {
		t.Errorf("Mappings() = %v, %v and SigningKeys() = %v, %v, want one and none", mappings, err, keys, err2)
	}
}

func TestTheEndOfTheCallerEndsAWait(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	chaos.Throttle = 1
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Agent(ctx, registry.Key{Tenant: "t", Name: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Agent() = %v, want the end of the context", err)
	}
}

func TestNoIndexHoldsWhatAHeartbeatChanges(t *testing.T) {
	t.Parallel()
	_, db := openBoth(t, nil)
	d, err := db.API().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: db.Table("AgentMetadata")})
	if err != nil {
		t.Fatalf("DescribeTable() = %v, want no error", err)
	}
	for _, index := range d.Table.GlobalSecondaryIndexes {
		if index.Projection.ProjectionType == types.ProjectionTypeAll {
			t.Errorf("index %s projects everything, want keys and created_at", aws.ToString(index.IndexName))
		}
	}
	d, err = db.API().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: db.Table("AgentStatus")})
	if err != nil || len(d.Table.GlobalSecondaryIndexes) != 0 {
		t.Errorf("DescribeTable(AgentStatus) = %v, %v, want no index", d, err)
	}
}
