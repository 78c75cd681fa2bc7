package embedded_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

var update = flag.Bool("update", false, "write the golden files")

// filler gives every field a value of its own.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", f.n))
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(f.n))
	case reflect.Uint64:
		v.SetUint(uint64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprintf("any%d", f.n)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"list": []any{"a", 1.5, true}}).Convert(v.Type()))
	case reflect.Struct:
		f.fillStruct(v)
	default:
		panic(fmt.Sprintf("a field of a task is of type %s: give it a value here", v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 0, 0, f.n, f.n, time.UTC)))
		return
	}
	for field := range v.Type().Fields() {
		if field.Tag.Get("json") != "-" { // content is kept elsewhere
			f.fill(v.FieldByIndex(field.Index))
		}
	}
}

// TestEveryFieldIsKept reads a task that has all that a task can have, and its events, without what is in the memory of the store that wrote them. What
// was written is compared with what was once: tasks that are there have to stay readable.
func TestEveryFieldIsKept(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var in orchestrator.Task
	var said [2]orchestrator.Event
	f := &filler{}
	f.fill(reflect.ValueOf(&in).Elem())
	for i := range said {
		f.fill(reflect.ValueOf(&said[i]).Elem())
		said[i].Sequence = uint64(i) + 1
	}
	in.Message, in.StatusMessage = message("do it"), message("done")
	in.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"model": structpb.NewStringValue("m1")}}
	for i := range in.Turns {
		in.Turns[i].Message = message("go on")
	}
	want, _, err := s.Create(t.Context(), in, said[:]...)
	if err != nil {
		t.Fatalf("Create() = %v", err)
	}
	k := in.Key()
	other, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	got, err := other.Task(t.Context(), k)
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("Task() = %v (-want +got):\n%s", err, diff)
	}
	events, err := other.Events(t.Context(), k, 0, len(said)+1)
	if diff := cmp.Diff(said[:], events); diff != "" || err != nil {
		t.Errorf("Events() = %v (-want +got):\n%s", err, diff)
	}
	golden(t, db, k)
}

// golden compares what is kept of a task, byte by byte.
func golden(t *testing.T, db *boltdb.DB, k orchestrator.Key) {
	t.Helper()
	var b strings.Builder
	err := db.View(func(tx *bbolt.Tx) error {
		fmt.Fprintf(&b, "state\n%s", hex.Dump(tx.Bucket([]byte("tasks")).Get(boltdb.Key(k.Tenant, k.ID))))
		_, first := tx.Bucket([]byte("task_log")).Cursor().First()
		fmt.Fprintf(&b, "events\n%s", hex.Dump(first))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "task.golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("a task is kept in another way; an earlier version's must stay readable, or the form needs a new number (-want +got):\n%s", diff)
	}
}
