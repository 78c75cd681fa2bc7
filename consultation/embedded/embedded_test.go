package embedded_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/storetest"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

func open(t *testing.T, path string) *boltdb.DB {
	t.Helper()
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) consultation.Store {
		t.Helper()
		db := open(t, filepath.Join(t.TempDir(), "spans.db"))
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Errorf("Close() = %v, want no error", err)
			}
		})
		return embedded.New(db)
	})
}

func TestEntriesSurviveARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spans.db")
	db := open(t, path)
	want := consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", State: consultation.StateOpen}
	err := embedded.New(db).Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) { return want, nil })
	if err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	db = open(t, path)
	t.Cleanup(func() { _ = db.Close() })
	got, err := embedded.New(db).List(t.Context(), "a", "t")
	if err != nil || len(got) != 1 || got[0].Consultation.ID != "1" {
		t.Errorf("List() after a restart = %v, %v, want consultation 1", got, err)
	}
}

func TestSweepRemovesWhatIsOverAndNothingElse(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "spans.db"))
	t.Cleanup(func() { _ = db.Close() })
	s := embedded.New(db)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	add := func(id string, issued time.Time) {
		t.Helper()
		err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
			return consultation.Consultation{ID: id, Tenant: "a", TaskID: "t", IssueTime: issued}, nil
		})
		if err != nil {
			t.Fatalf("Append(%s) = %v, want no error", id, err)
		}
	}
	for i := range 4 {
		add(strconv.Itoa(i), at.Add(time.Duration(i)*time.Hour))
	}
	if n, err := s.Sweep(t.Context(), at.Add(2*time.Hour)); n != 2 || err != nil {
		t.Errorf("Sweep() = %d, %v, want 2, nil", n, err)
	}
	add("4", at.Add(4*time.Hour)) // takes the place of none that is left
	list, err := s.List(t.Context(), "a", "t")
	if err != nil || len(list) != 3 || list[0].Consultation.ID != "2" || list[2].Consultation.ID != "4" {
		t.Errorf("List() = %v, %v, want 2, 3 and 4", list, err)
	}
	if _, err := s.Get(t.Context(), "a", "1"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Get(1) = %v, want CONSULTATION_NOT_FOUND", err)
	}
	if e, err := s.Get(t.Context(), "a", "3"); err != nil || e.Consultation.ID != "3" {
		t.Errorf("Get(3) = %v, %v, want it still there", e, err)
	}
}
