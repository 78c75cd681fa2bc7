package dynamo

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/dynamotest"
)

// TestTheCacheIsBoundedHoweverSmallItsRecordsAre fills the cache with records of a few words.
func TestTheCacheIsBoundedHoweverSmallItsRecordsAre(t *testing.T) {
	t.Parallel()
	var c cache
	const words, most = 40, cacheBytes / 500
	for i := range 4 * most {
		c.put(strconv.Itoa(i), map[string]any{statusContent: nil}, words)
		if n := len(c.records); n > most {
			t.Fatalf("after %d records of %d bytes the cache holds %d, want no more than %d: each takes some hundred bytes besides", i+1, words, n, most)
		}
	}
}

// TestARecordCountsOnce puts the same record into the cache again, as those do who read it at the same time.
func TestARecordCountsOnce(t *testing.T) {
	t.Parallel()
	var c cache
	const half = cacheBytes / 2
	for range 2 {
		c.put("large", map[string]any{statusContent: nil}, half)
	}
	c.put("small", map[string]any{statusContent: nil}, 1)
	if _, ok := c.get("large"); !ok {
		t.Error("a record that was put twice has pushed itself out")
	}
}

// TestARecordCountsAsWhatItTakesInMemory fills the cache with content of many small values.
func TestARecordCountsAsWhatItTakesInMemory(t *testing.T) {
	t.Parallel()
	const values, stored = 80_000, 320 << 10
	for name, content := range map[string]any{
		messageContent:          &a2apb.Message{Parts: slices.Repeat([]*a2apb.Part{{}}, values)},
		artifactPrefix + "0000": &a2apb.Artifact{Parts: slices.Repeat([]*a2apb.Part{{}}, values)},
		planContent:             plan{Attributes: consultation.Attributes{"a": slices.Repeat([]any{1.5}, values)}},
	} {
		var c cache
		for i := range 100 {
			c.put(strconv.Itoa(i), map[string]any{name: content}, stored)
		}
		if most := cacheBytes / (values * 24); len(c.records) > most {
			t.Errorf("the cache holds %d records with %s of %d values, want %d at most", len(c.records), name, values, most)
		}
	}
}

// TestTheLargestArtifactFits puts one into the cache that has as many bytes and values as a task may have.
func TestTheLargestArtifactFits(t *testing.T) {
	t.Parallel()
	var c cache
	largest := &a2apb.Artifact{Parts: slices.Repeat([]*a2apb.Part{{}}, orchestrator.MaxTaskValues)}
	c.put("largest", map[string]any{artifactPrefix + "0000": largest}, orchestrator.MaxTaskBytes)
	if c.size > cacheBytes {
		t.Errorf("the cache holds %d bytes, want %d at most", c.size, cacheBytes)
	}
}

// TestACacheThatIsEmptiedTakesNothingFromReaders lists a task whose content is in the cache together with one whose content empties it.
func TestACacheThatIsEmptiedTakesNothingFromReaders(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	writer, now := New(db, Options{}), time.Now().UTC()
	for _, id := range []string{"a", "b"} {
		task := orchestrator.Task{Tenant: "default", ID: id, State: a2apb.TaskState_TASK_STATE_SUBMITTED, CreateTime: now, Deadline: now.Add(time.Hour)}
		if _, _, err := writer.Create(t.Context(), task); err != nil {
			t.Fatalf("Create(%s) = %v, want no error", id, err)
		}
	}
	s := New(db, Options{})
	if _, err := s.Task(t.Context(), orchestrator.Key{Tenant: "default", ID: "a"}); err != nil {
		t.Fatalf("Task(a) = %v, want no error", err)
	}
	s.cache.size = cacheBytes
	if list, _, err := s.Tasks(t.Context(), "default", "", 9); err != nil || len(list) != 2 {
		t.Errorf("Tasks() = %v, %v, want both", list, err)
	}
}
