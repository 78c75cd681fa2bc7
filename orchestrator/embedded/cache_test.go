package embedded

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

func large(id, bytes int) *record {
	text := &a2apb.Part{Content: &a2apb.Part_Text{Text: strings.Repeat("x", bytes)}}
	r := &record{Task: orchestrator.Task{Tenant: "t", ID: strconv.Itoa(id), Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{text}}}}}
	r.size = contentSize(r)
	return r
}

// contentSize is about how much memory a task's content takes.
func contentSize(r *record) int {
	n := proto.Size(r.StatusMessage) + orchestrator.Overhead(r.StatusMessage)
	for _, m := range messages(&r.Task) {
		n += proto.Size(m) + orchestrator.Overhead(m)
	}
	for _, a := range r.Artifacts {
		n += proto.Size(a) + orchestrator.Overhead(a)
	}
	return n
}

// TestTheCacheHoldsNoMoreContentThanItMay fills the cache with few large tasks, over and over.
func TestTheCacheHoldsNoMoreContentThanItMay(t *testing.T) {
	t.Parallel()
	var c cache
	const size = 1 << 20
	for i := range 200 {
		for range 2 { // once more is not twice
			c.put(large(i, size))
		}
		sum := 0
		for _, r := range c.tasks {
			sum += contentSize(r)
		}
		if sum != c.bytes || sum > cacheBytes {
			t.Fatalf("after %d tasks the cache counts %d bytes and holds %d, want no more than %d", i+1, c.bytes, sum, cacheBytes)
		}
	}
	if most := cacheBytes / size; len(c.tasks) == 0 || len(c.tasks) > most {
		t.Errorf("the cache holds %d tasks, want some and no more than %d", len(c.tasks), most)
	}
	c.drop(orchestrator.Key{Tenant: "t", ID: "199"})
	if _, ok := c.tasks[orchestrator.Key{Tenant: "t", ID: "199"}]; ok {
		t.Error("what was dropped is still there")
	}
}

// newStore returns a store in a file of its own.
func newStore(t *testing.T) *Store {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s, err := New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAWriteThatMayCountLaterLeavesNoOlderTaskInMemory has a closed store refuse a write, as a disk does that fails.
func TestAWriteThatMayCountLaterLeavesNoOlderTaskInMemory(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	k := orchestrator.Key{Tenant: "t", ID: "1"}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Message: &a2apb.Message{}}); err != nil || s.cache.get(k) == nil {
		t.Fatalf("Create() = %v, want no error, and the task in memory", err)
	}
	before := s.cache.generation()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) { t.Skill = "s"; return nil, nil })
	if fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("Update() of a closed store = %v, want that it is unavailable", err)
	}
	if s.cache.get(k) != nil || s.cache.generation() == before {
		t.Error("the task is still in memory, or may be put there as it was read before, want that it is read from the file")
	}
}

// TestTheSizeOfContentFollowsIt changes a task's content in all ways, and looks at the size that the store counts, and at what one counts that reads the file.
func TestTheSizeOfContentFollowsIt(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	said := func(text string) *a2apb.Message {
		return &a2apb.Message{MessageId: text, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}}}
	}
	k := orchestrator.Key{Tenant: "t", ID: "1"}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Message: said("do it")}); err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(*orchestrator.Task){
		func(*orchestrator.Task) {},
		func(t *orchestrator.Task) { t.StatusMessage = said("busy") },
		func(t *orchestrator.Task) { t.StatusMessage = said("still busy") },
		func(t *orchestrator.Task) { t.Artifacts = []*a2apb.Artifact{{ArtifactId: "1"}, {ArtifactId: "22"}} },
		func(t *orchestrator.Task) { t.Turns = []orchestrator.Turn{{Message: said("and now?")}} },
		func(t *orchestrator.Task) { t.Artifacts = []*a2apb.Artifact{t.Artifacts[0], {ArtifactId: "333"}} },
		func(t *orchestrator.Task) { t.Artifacts, t.StatusMessage = nil, nil },
	} {
		if _, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) { change(t); return nil, nil }); err != nil {
			t.Fatal(err)
		}
		kept := s.cache.get(k)
		var stored *record
		if err := s.db.View(func(tx *bbolt.Tx) (err error) { stored, err = readTask(tx, k, everything); return err }); err != nil {
			t.Fatal(err)
		}
		if want := contentSize(stored); kept.size != want || stored.size != want {
			t.Errorf("after change %d the store counts %d bytes of content and a reader %d, want %d", i, kept.size, stored.size, want)
		}
	}
}

// TestTheCacheCountsWhatATaskIsWithoutContent fills a cache with tasks whose agents were chosen among many, and whose content is short.
func TestTheCacheCountsWhatATaskIsWithoutContent(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	k := orchestrator.Key{Tenant: "t", ID: "1"}
	look := func(when string, cached *cache, least int) {
		t.Helper()
		if r := cached.get(k); r == nil || cached.bytes < least || cached.bytes > least+1000 {
			t.Errorf("%s: the cache counts %d bytes for a task of %d", when, cached.bytes, least)
		}
	}
	const first, second = 100 << 10, 200 << 10
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Skill: strings.Repeat("s", first), Message: &a2apb.Message{}}); err != nil {
		t.Fatal(err)
	}
	look("created", &s.cache, first)
	if _, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Skill = strings.Repeat("s", second)
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	look("changed", &s.cache, second)
	again := &Store{db: s.db}
	if _, err := again.Task(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	look("read", &again.cache, second)
}

// TestTheCacheCountsWhatATaskTakesInMemory fills the cache with tasks of many small values: each takes a hundred bytes, and a few when it is encoded.
func TestTheCacheCountsWhatATaskTakesInMemory(t *testing.T) {
	t.Parallel()
	const values = 80_000
	list, data := make([]any, values), make([]*structpb.Value, values)
	message := &a2apb.Message{}
	for i := range values {
		list[i], data[i] = 1.0, structpb.NewBoolValue(true)
		message.Parts = append(message.GetParts(), &a2apb.Part{Content: &a2apb.Part_Text{}})
	}
	numbers := &a2apb.Artifact{Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewListValue(&structpb.ListValue{Values: data})}}}}
	for name, task := range map[string]orchestrator.Task{
		"empty parts": {Message: message}, "data": {Artifacts: []*a2apb.Artifact{numbers}}, "attributes": {Attributes: consultation.Attributes{"a": list}},
	} {
		s := newStore(t)
		read := &Store{db: s.db}
		for i := range 36 {
			task.Tenant, task.ID = "t", strconv.Itoa(i)
			if _, _, err := s.Create(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			if _, err := read.Task(t.Context(), orchestrator.Key{Tenant: "t", ID: task.ID}); err != nil {
				t.Fatal(err)
			}
		}
		if most := cacheBytes / (values * 24); len(s.cache.tasks) > most || len(read.cache.tasks) > most {
			t.Errorf("%s: the cache holds %d tasks of %d values that were written, and %d that were read, want %d at most", name, len(s.cache.tasks), values, len(read.cache.tasks), most)
		}
	}
}

// TestNothingOlderIsFilledInThanWhatSomebodyRead has somebody read a task from the file, take his time, and fill it in after another read a later version there.
func TestNothingOlderIsFilledInThanWhatSomebodyRead(t *testing.T) {
	t.Parallel()
	version := func(n uint64) *record {
		return &record{Task: orchestrator.Task{Tenant: "t", ID: "1", Version: n}}
	}
	for name, later := range map[string]func(c *cache){
		"and saw it":                        func(c *cache) { c.observeVersion(orchestrator.Key{Tenant: "t", ID: "1"}, 2) },
		"and filled it in":                  func(c *cache) { c.fill(version(2), c.generation()) },
		"and could not fill it in any more": func(c *cache) { c.fill(version(2), c.generation()-1) },
	} {
		var c cache
		c.notes = 7
		notes := c.generation()
		later(&c)
		c.fill(version(1), notes)
		if r := c.get(orchestrator.Key{Tenant: "t", ID: "1"}); r != nil && r.Version < 2 {
			t.Errorf("another read version 2 %s, and the cache has version %d, want 2 or nothing", name, r.Version)
		}
	}
}

// TestAPartOfATaskIsReadAlone reads tasks with large content from the file: what is not wanted is not read, and the tasks displace none that are worked on.
func TestAPartOfATaskIsReadAlone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	k := orchestrator.Key{Tenant: "t", ID: "1"}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Message: &a2apb.Message{MessageId: "m"}, Artifacts: []*a2apb.Artifact{{ArtifactId: "a"}}}); err != nil {
		t.Fatal(err)
	}
	s.cache.mu.Lock()
	s.cache.drop(k)
	s.cache.mu.Unlock()
	got, err := s.TaskPart(t.Context(), k, orchestrator.Part{})
	if err != nil || got.Message != nil || len(got.Artifacts) != 1 || got.Artifacts[0] != nil || s.cache.get(k) != nil {
		t.Errorf("TaskPart() = message %v, artifacts %v, %v, cached %t; want neither content nor a place in the cache", got.Message, got.Artifacts, err, s.cache.get(k) != nil)
	}
	if got, err = s.TaskPart(t.Context(), k, orchestrator.Part{Messages: true}); err != nil || got.Message.GetMessageId() != "m" || got.Artifacts[0] != nil {
		t.Errorf("TaskPart(messages) = message %v, artifacts %v, %v; want the message alone", got.Message, got.Artifacts, err)
	}
}
