package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/boltdb"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "quorate.db"))
	})
	storetest.RunContexts(t, func(t *testing.T) orchestrator.ContextStore {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "quorate.db"))
	})
}

func open(t *testing.T, file string) *embedded.Store {
	t.Helper()
	db, err := boltdb.Open(file, boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTurnsAreReadFromTheFile reads through a store that has nothing in its memory.
func TestTurnsAreReadFromTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "quorate.db")
	k := orchestrator.Key{Tenant: "default", ID: "a"}
	t.Run("written", func(t *testing.T) {
		said := &a2apb.Message{MessageId: "q", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "which one?"}}}}
		if _, _, err := open(t, file).Create(t.Context(), orchestrator.Task{
			Tenant: k.Tenant, ID: k.ID, Message: said, Turns: []orchestrator.Turn{{Number: 1, FromAgent: true, MessageID: "q", Message: said}},
		}); err != nil {
			t.Fatalf("Create() = %v", err)
		}
	})
	got, err := open(t, file).Task(t.Context(), k)
	if err != nil || len(got.Turns) != 1 || got.Turns[0].Message.GetParts()[0].GetText() != "which one?" {
		t.Errorf("Task() = %+v, %v, want its turn", got, err)
	}
}
