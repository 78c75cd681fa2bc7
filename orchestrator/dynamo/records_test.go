package dynamo_test

import (
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
)

func TestRecordsAreKeptAsLongAsTheirTaskAndThenRemoved(t *testing.T) {
	t.Parallel()
	const day, keep = 24 * time.Hour, 200 * 24 * time.Hour
	now, db := epoch, tables(t, nil)
	s := dynamo.New(db, dynamo.Options{Keep: keep, Now: func() time.Time { return now }})
	create(t, s, "a", epoch)
	settle(t, s, "a", epoch)
	now = epoch.Add(keep - day)
	if _, err := s.Task(t.Context(), key("a")); err != nil {
		t.Errorf("Task() a day before its time is over = %v, want no error", err)
	}
	for _, record := range recordsOf(t, db, "a", "#") {
		if over := now.Add(60 * day); !ddb.Expired(record, "ttl", over) || ddb.Expired(record, "ttl", now) {
			t.Errorf("%s has ttl %v, want one between %d and %d", ddb.TextOf(record, "record_name"), record["ttl"], now.Unix(), over.Unix())
		}
	}
}

// A record to which nothing refers stays for ever where tasks do.
func TestNoRecordIsLeftToWhichNothingRefers(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	s := dynamo.New(db, dynamo.Options{})
	first := create(t, s, "a", epoch)
	if again, created, err := s.Create(t.Context(), first, orchestrator.Event{Type: orchestrator.EventSubmitted}); created || err != nil || again.Version != first.Version {
		t.Errorf("Create() again = version %d, %t, %v, want the task that is there", again.Version, created, err)
	}
	if _, err := s.Update(t.Context(), key("a"), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.NextDue = epoch.Add(time.Minute)
		return nil, nil
	}); err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
	if records := recordsOf(t, db, "a", "#"); len(records) != 1 {
		t.Errorf("there are %d records, want one: that of the first write", len(records))
	}
}
