package storetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// RunLarge checks that artifacts larger than an item, and messages of steps, are stored whole. open returns a new empty store, and a function that opens it once more, with nothing
// of it in memory.
func RunLarge(t *testing.T, open func(t *testing.T) (s orchestrator.Store, again func() orchestrator.Store)) {
	t.Helper()
	t.Run("artifacts larger than an item are stored whole", func(t *testing.T) {
		s, again := open(t)
		largeArtifacts(t, s, again)
	})
}

func largeArtifacts(t *testing.T, s orchestrator.Store, again func() orchestrator.Store) {
	in := task("a")
	in.Parent = &orchestrator.Parent{TaskID: "plan"} // a step, whose message brings what another one made
	in.Message.Parts = append(in.Message.Parts, noise(1<<20))
	create(t, s, in)
	for _, step := range [][]int{{2 << 20, 10, boltdb.MaxItemBytes * 2}, {2 << 20, 1 << 20, boltdb.MaxItemBytes}, {10}} {
		want, err := s.Update(t.Context(), key(in), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			var now []*a2apb.Artifact
			for i, size := range step {
				if i < len(t.Artifacts) && len(t.Artifacts[i].GetParts()[0].GetRaw()) == size {
					now = append(now, t.Artifacts[i]) // as it was
				} else {
					now = append(now, &a2apb.Artifact{ArtifactId: strconv.Itoa(i), Parts: []*a2apb.Part{noise(size)}})
				}
			}
			t.Artifacts = now
			return []orchestrator.Event{{Detail: "changed"}}, nil
		})
		if err != nil {
			t.Fatalf("Update(artifacts of %v bytes) = %v", step, err)
		}
		got, err := again().Task(t.Context(), key(in))
		if err != nil {
			t.Fatalf("Task() after artifacts of %v bytes = %v", step, err)
		}
		if !proto.Equal(want.Message, got.Message) {
			t.Errorf("Task() after artifacts of %v bytes has not the message that was submitted", step)
		}
		if !slices.EqualFunc(want.Artifacts, got.Artifacts, func(a, b *a2apb.Artifact) bool { return proto.Equal(a, b) }) {
			t.Errorf("Task() after artifacts of %v bytes has not the artifacts that Update returned", step)
		}
	}
}

// noise returns a part with bytes that are different everywhere.
func noise(size int) *a2apb.Part {
	var b bytes.Buffer
	random := rand.New(rand.NewPCG(uint64(size), 1)) //nolint:gosec // the same each time
	for b.Len() < size {
		fmt.Fprintf(&b, "%016x", random.Uint64())
	}
	return &a2apb.Part{Content: &a2apb.Part_Raw{Raw: b.Bytes()[:size]}}
}

func tooLarge(t *testing.T, s orchestrator.Store) {
	big := string(make([]byte, orchestrator.MaxMessageBytes+1))
	in := task("a")
	in.Message = message(big)
	_, _, err := s.Create(t.Context(), in)
	wantTooLarge(t, "Create(large message)", err, fmt.Sprintf("the message has %d bytes; the limit is 358400: shorten it", proto.Size(in.Message)))
	if _, err := s.Task(t.Context(), key(in)); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Task() after a refused Create = %v, want not found", err)
	}
	k := key(create(t, s, task("b")))
	reply := message(big)
	_, err = s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Turns = []orchestrator.Turn{{Message: reply}}
		return nil, nil
	})
	wantTooLarge(t, "Update(large reply)", err, fmt.Sprintf("message 1 has %d bytes; the limit is 358400: shorten it", proto.Size(reply)))
	_, err = s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{artifact("fine"), artifact(strings.Repeat("x", orchestrator.MaxTaskBytes))}
		return nil, nil
	})
	got, err2 := s.Task(t.Context(), k)
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" || err2 != nil || len(got.Artifacts) != 0 {
		t.Errorf("Update(large artifact) = %.200v and left %d artifacts (%v), want ITEM_TOO_LARGE and none", err, len(got.Artifacts), err2)
	}
	if said := fault.From(err); said != nil && len(said.Message) > 1000 { // it is stored as why the task failed
		t.Errorf("Update(artifact with a large id) = an error of %d bytes, want its message to be short", len(said.Message))
	}
}

// wantTooLarge checks that err says the same with every store.
func wantTooLarge(t *testing.T, call string, err error, message string) {
	t.Helper()
	if f := fault.From(err); fault.ReasonOf(err) != "ITEM_TOO_LARGE" || f.Message != message {
		t.Errorf("%s = %v, want ITEM_TOO_LARGE: %s", call, err, message)
	}
}

// justFits writes content that is as large as it may be.
func justFits(t *testing.T, s orchestrator.Store) {
	in := task("a")
	in.Message = message("")
	for size := orchestrator.MaxMessageBytes; proto.Size(in.Message) != orchestrator.MaxMessageBytes; size-- {
		in.Message = message(strings.Repeat("x", size))
	}
	create(t, s, in)
	large := artifact("a")
	for size := orchestrator.MaxTaskBytes; proto.Size(large) != orchestrator.MaxTaskBytes; size-- {
		large.Parts = artifact(strings.Repeat("x", size)).GetParts()
	}
	_, err := s.Update(t.Context(), key(in), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{large}
		return nil, nil
	})
	if err != nil {
		t.Errorf("Update(an artifact of %d bytes) = %v, want it taken", orchestrator.MaxTaskBytes, err)
	}
	_, err = s.Update(t.Context(), key(in), func(*orchestrator.Task) ([]orchestrator.Event, error) {
		return []orchestrator.Event{{Detail: string(make([]byte, boltdb.MaxItemBytes+1))}}, nil
	})
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" {
		t.Errorf("Update(with an event that is larger) = %.200v, want ITEM_TOO_LARGE", err)
	}
}

// largest looks for the largest task that is accepted: a bit more than that is in its state when it ends.
func largest(t *testing.T, s orchestrator.Store) {
	in := task("a")
	var err error
	for room := 0; room < 2*orchestrator.EndRoom; room += 128 {
		in.Skill = strings.Repeat("s", boltdb.MaxItemBytes-room)
		if _, _, err = s.Create(t.Context(), in); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("Create(a task of nearly %d bytes) = %v, want it accepted", boltdb.MaxItemBytes, err)
	}
	_, err = s.Update(t.Context(), key(in), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Attempts = []orchestrator.Attempt{{Number: 1, RemoteTaskID: strings.Repeat("r", orchestrator.EndRoom)}}
		return nil, nil
	})
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" {
		t.Errorf("Update(more than there is room for) = %v, want ITEM_TOO_LARGE", err)
	}
	if _, err := s.Update(t.Context(), key(in), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.CancelAsked, t.CancelWith = true, orchestrator.CancelMetadata(strings.Repeat("c", orchestrator.MaxCancelMetadata))
		return nil, nil
	}); err != nil {
		t.Errorf("Update(to be canceled) = %v, want it taken", err)
	}
	ended, err := s.Update(t.Context(), key(in), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.CancelWith = ""
		t.State, t.Error = a2apb.TaskState_TASK_STATE_FAILED, &orchestrator.Error{Reason: "ITEM_TOO_LARGE", Message: strings.Repeat("m", orchestrator.EndRoom/2)}
		return nil, nil
	})
	if err != nil || !ended.Ended() {
		t.Errorf("Update(failed) = %v, %v, want it ended: a task that cannot end is worked on forever", ended.State, err)
	}
}
