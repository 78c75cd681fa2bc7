package embedded_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

// After a way back to this version, what a newer one has written stays for the time when that one is used again.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := embedded.New(db)
	err = s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
		return consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
	})
	if err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	say := func(span string) {
		t.Helper()
		err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
			e.Consultation.Outcome = "approved"
			e.Evidence = append(slices.Clone(e.Evidence), consultation.Evidence{SpanID: span})
			return e, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	say("s1")
	added := []string{`"budget":"of the entry",`, `"budget":"of the consultation",`, `"budget":"of the evidence",`}
	err = db.Update(t.Context(), func(tx *bbolt.Tx) error {
		entries := tx.Bucket([]byte("consultations"))
		key, value := entries.Cursor().First()
		parts := bytes.SplitAfterN(value, []byte("{"), 4) // up to the braces that open the entry, its consultation and its evidence
		return entries.Put(key, slices.Concat(parts[0], []byte(added[0]), parts[1], []byte(added[1]), parts[2], []byte(added[2]), parts[3]))
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	for _, span := range []string{"s2", "s3"} {
		say(span)
		err := db.View(func(tx *bbolt.Tx) error {
			_, value := tx.Bucket([]byte("consultations")).Cursor().First()
			for _, what := range added {
				if bytes.Count(value, []byte(what)) != 1 {
					t.Errorf("the entry with evidence %s = %s, want %s in it once", span, value, what)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("View() = %v, want no error", err)
		}
	}
	if e, err := s.Get(t.Context(), "a", "1"); err != nil || e.Consultation.Outcome != "approved" || len(e.Evidence) != 3 || e.Evidence[2].SpanID != "s3" {
		t.Errorf("Get() = %+v, %v, want the outcome and three pieces of evidence", e, err)
	}
}
