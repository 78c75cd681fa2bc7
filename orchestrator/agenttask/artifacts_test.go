package agenttask_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

func update(a *a2apb.Artifact, appended bool) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{Artifact: a, Append: appended}}}
}

func TestAnUpdateReplacesAnArtifactOrAddsToIt(t *testing.T) {
	t.Parallel()
	meta := func(s string) *structpb.Struct { return object(structpb.NewStringValue(s)) }
	other := &structpb.Struct{Fields: map[string]*structpb.Value{"other": structpb.NewStringValue("2")}}
	both := &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("1"), "other": structpb.NewStringValue("2")}}
	for name, test := range map[string]struct {
		first, next *a2apb.Artifact
		appended    bool
		want        []*a2apb.Artifact
	}{
		"one that is new":          {&a2apb.Artifact{ArtifactId: "a", Parts: text("x")}, &a2apb.Artifact{ArtifactId: "b", Parts: text("y")}, true, []*a2apb.Artifact{{ArtifactId: "a", Parts: text("x")}, {ArtifactId: "b", Parts: text("y")}}},
		"another version":          {&a2apb.Artifact{ArtifactId: "a", Parts: text("x"), Metadata: meta("1")}, &a2apb.Artifact{ArtifactId: "a", Parts: text("y")}, false, []*a2apb.Artifact{{ArtifactId: "a", Parts: text("y")}}},
		"another piece":            {&a2apb.Artifact{ArtifactId: "a", Parts: text("x")}, &a2apb.Artifact{ArtifactId: "a", Parts: text("y")}, true, []*a2apb.Artifact{{ArtifactId: "a", Parts: append(text("x"), text("y")...)}}},
		"a piece with metadata":    {&a2apb.Artifact{ArtifactId: "a"}, &a2apb.Artifact{ArtifactId: "a", Metadata: meta("1")}, true, []*a2apb.Artifact{{ArtifactId: "a", Metadata: meta("1")}}},
		"a piece with other words": {&a2apb.Artifact{ArtifactId: "a", Metadata: meta("1")}, &a2apb.Artifact{ArtifactId: "a", Metadata: other}, true, []*a2apb.Artifact{{ArtifactId: "a", Metadata: both}}},
	} {
		var h agenttask.Task
		for _, says := range []*a2apb.StreamResponse{update(test.first, false), update(test.next, test.appended)} {
			if _, err := h.Apply(says); err != nil {
				t.Fatalf("%s: Apply() = %v", name, err)
			}
		}
		if !slices.EqualFunc(h.Artifacts, test.want, func(a, b *a2apb.Artifact) bool { return proto.Equal(a, b) }) {
			t.Errorf("after %s the artifacts are %v, want %v", name, h.Artifacts, test.want)
		}
	}
}

func TestAnArtifactIsWholeWithItsLastChunk(t *testing.T) {
	t.Parallel()
	chunk := func(id string, appended, last bool) *a2apb.StreamResponse {
		r := update(&a2apb.Artifact{ArtifactId: id, Parts: text("x")}, appended)
		r.GetArtifactUpdate().LastChunk = last
		return r
	}
	for name, test := range map[string]struct {
		says []*a2apb.StreamResponse
		want bool
	}{
		"at once":                   {[]*a2apb.StreamResponse{chunk("a", false, true)}, true},
		"with a piece":              {[]*a2apb.StreamResponse{chunk("a", false, false), chunk("a", true, true), chunk("b", false, false)}, true},
		"not yet":                   {[]*a2apb.StreamResponse{chunk("a", false, false), chunk("b", false, true)}, false},
		"and another piece":         {[]*a2apb.StreamResponse{chunk("a", false, true), chunk("a", true, false)}, false},
		"and begun anew":            {[]*a2apb.StreamResponse{chunk("a", false, true), chunk("a", false, false)}, false},
		"and shown as it is by now": {[]*a2apb.StreamResponse{chunk("a", false, true), agenttask.Snapshot(&a2apb.Task{Artifacts: []*a2apb.Artifact{{ArtifactId: "a"}}})}, false},
	} {
		var h agenttask.Task
		for _, says := range test.says {
			if _, err := h.Apply(says); err != nil {
				t.Fatalf("%s: Apply() = %v", name, err)
			}
		}
		if got := h.IsWhole("a"); got != test.want {
			t.Errorf("%s: IsWhole() = %t, want %t", name, got, test.want)
		}
	}
}

// TestWhatAnAgentMakesIsBounded has agents make as much as a task holds, and then more. What is replaced does not count any more.
func TestWhatAnAgentMakesIsBounded(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", orchestrator.MaxTaskBytes/2-100)
	many := func() []*a2apb.Part { return slices.Repeat(text("x"), orchestrator.MaxTaskValues/2-1) }
	one := &a2apb.Artifact{ArtifactId: "small", Parts: text("x")}
	numbered := func(i int) *a2apb.Artifact { return &a2apb.Artifact{ArtifactId: strings.Repeat("i", i+1)} }
	var most, tooMany []*a2apb.StreamResponse
	for i := range orchestrator.MaxArtifacts {
		most = append(most, update(numbered(i), false))
	}
	tooMany = append(slices.Clone(most), update(numbered(orchestrator.MaxArtifacts), false))
	var pieces []*a2apb.StreamResponse
	for i := range 20 {
		said := object(structpb.NewStringValue(strings.Repeat(string(rune('a'+i)), orchestrator.MaxTaskBytes/10)))
		pieces = append(pieces, update(&a2apb.Artifact{ArtifactId: "a", Parts: text("x"), Metadata: said}, true))
	}
	for name, test := range map[string]struct {
		says []*a2apb.StreamResponse
		want string
	}{
		"a large one, replaced":    {slices.Repeat([]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large)}, false)}, 5), ""},
		"large pieces":             {[]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large)}, false), update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large)}, true)}, ""},
		"large ones":               {[]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large + large)}, false), update(&a2apb.Artifact{ArtifactId: "b", Parts: text(large)}, false)}, "ARTIFACTS_TOO_LARGE"},
		"one piece too many":       {[]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large + large)}, false), update(&a2apb.Artifact{ArtifactId: "a", Parts: text(large)}, true)}, "ARTIFACTS_TOO_LARGE"},
		"a snapshot that is large": {[]*a2apb.StreamResponse{agenttask.Snapshot(&a2apb.Task{Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: text(large + large)}, {ArtifactId: "b", Parts: text(large)}}})}, "ARTIFACTS_TOO_LARGE"},
		"pieces with other words":  {pieces, ""},
		"snapshots":                {slices.Repeat([]*a2apb.StreamResponse{agenttask.Snapshot(&a2apb.Task{Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: text(large)}}})}, 5), ""},
		"many values, replaced":    {slices.Repeat([]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: many()}, false)}, 3), ""},
		"too many values":          {[]*a2apb.StreamResponse{update(&a2apb.Artifact{ArtifactId: "a", Parts: many()}, false), update(&a2apb.Artifact{ArtifactId: "b", Parts: append(many(), text("x")...)}, false), update(one, false), update(&a2apb.Artifact{ArtifactId: "c", Parts: text("x")}, false)}, "ARTIFACTS_TOO_LARGE"},
		"as many as may be":        {most, ""},
		"one too many":             {tooMany, "ARTIFACTS_TOO_LARGE"},
	} {
		var h agenttask.Task
		for i, says := range test.says {
			_, err := h.Apply(says)
			if last := i == len(test.says)-1; fault.ReasonOf(err) != test.want && last || err != nil && !last {
				t.Errorf("%s: Apply() of response %d = %v, want %q at the end", name, i+1, err, test.want)
			}
		}
	}
}

// TestATaskThatIsReadAfterTheEndCorrectsWhatWasHeard has it be as of the end, or older.
func TestATaskThatIsReadAfterTheEndCorrectsWhatWasHeard(t *testing.T) {
	t.Parallel()
	heard := []*a2apb.Artifact{{ArtifactId: "a", Parts: text("half")}, {ArtifactId: "b", Parts: text("whole")}}
	read := []*a2apb.Artifact{{ArtifactId: "a", Parts: text("half and more")}, {ArtifactId: "b", Parts: text("who")}, {ArtifactId: "c", Parts: text("new")}}
	for state, want := range map[a2apb.TaskState][]*a2apb.Artifact{
		a2apb.TaskState_TASK_STATE_COMPLETED: read,
		a2apb.TaskState_TASK_STATE_WORKING:   {read[0], heard[1], read[2]},
	} {
		var h agenttask.Task
		for _, a := range heard {
			if _, err := h.Apply(update(proto.CloneOf(a), false)); err != nil {
				t.Fatal(err)
			}
		}
		says := proto.CloneOf(&a2apb.Task{Status: &a2apb.TaskStatus{State: state}, Artifacts: read, Metadata: object(structpb.NewStringValue("x"))})
		if err := h.Correct(says); err != nil || !slices.EqualFunc(h.Artifacts, want, func(a, b *a2apb.Artifact) bool { return proto.Equal(a, b) }) || h.Metadata == nil {
			t.Errorf("after one in state %s the artifacts are %v, %v, want %v, and its metadata", state, h.Artifacts, err, want)
		}
		for reason, large := range map[string]*a2apb.Task{
			"ARTIFACTS_TOO_LARGE": {Artifacts: []*a2apb.Artifact{{ArtifactId: "d", Parts: text(strings.Repeat("x", orchestrator.MaxTaskBytes))}}},
			"METADATA_TOO_LARGE":  {Metadata: object(structpb.NewStringValue(strings.Repeat("x", 256<<10)))},
		} {
			large.Status = says.GetStatus()
			if err := h.Correct(large); fault.ReasonOf(err) != reason {
				t.Errorf("Correct() in state %s = %v, want %s", state, err, reason)
			}
		}
	}
}

// TestATaskThatIsToldAfterTheEndAddsWhatWasMade has the end come before the artifacts, with which the state does not change any more.
func TestATaskThatIsToldAfterTheEndAddsWhatWasMade(t *testing.T) {
	t.Parallel()
	made := []*a2apb.Artifact{{ArtifactId: "a", Parts: text("made")}}
	whole := func(id string, state a2apb.TaskState) *a2apb.StreamResponse {
		return agenttask.Snapshot(&a2apb.Task{Id: id, Status: &a2apb.TaskStatus{State: state, Message: &a2apb.Message{Parts: text("words")}}, Artifacts: made})
	}
	for name, test := range map[string]struct {
		says *a2apb.StreamResponse
		want int
	}{
		"of the end":      {whole("r", a2apb.TaskState_TASK_STATE_COMPLETED), 1},
		"of before":       {whole("r", a2apb.TaskState_TASK_STATE_WORKING), 1},
		"of another end":  {whole("r", a2apb.TaskState_TASK_STATE_FAILED), 1},
		"of another task": {whole("s", a2apb.TaskState_TASK_STATE_COMPLETED), 0},
	} {
		h := apply(t, changes("r", "c", a2apb.TaskState_TASK_STATE_COMPLETED))
		if _, err := h.Apply(test.says); err != nil || len(h.Artifacts) != test.want || h.State != a2apb.TaskState_TASK_STATE_COMPLETED || h.Status != nil {
			t.Errorf("after a task %s, %v, there are %d artifacts in state %s with %v, want %d in the state as it ended", name, err, len(h.Artifacts), h.State, h.Status, test.want)
		}
	}
}
