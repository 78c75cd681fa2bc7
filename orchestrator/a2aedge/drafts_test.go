package a2aedge_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/engine"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// author is an agent that writes two chapters, and goes on after each when it is told to.
type author struct {
	goOn    chan struct{}
	reports bool // that it has written a chapter
}

var chapters = []string{"It was a dark night.", strings.Repeat("It rained. ", 30_000)} // the kit sends the second one in parts

func (a author) write(ctx context.Context, t *kit.Task) error {
	for n, text := range chapters {
		if err := t.AddArtifact(ctx, kit.Artifact{Name: strconv.Itoa(n), Text: text}); err != nil {
			return err
		}
		if a.reports {
			if err := t.Progress(ctx, fmt.Sprintf("chapter %d", n)); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.goOn:
		}
	}
	return nil
}

// addAuthor registers an author whose sensitive work is reviewed.
func (w *world) addAuthor(t *testing.T, reports bool) author {
	t.Helper()
	a := author{goOn: make(chan struct{}), reports: reports}
	w.addAgent(t, kit.Config{
		Name: "author", Description: "Writes.", Version: "1.0.0", Handler: a.write,
		Skills: []kit.Skill{{ID: "write", Name: "Write", Description: "Writes a book.", Tags: []string{"text"}}},
	}, &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{
		Id: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true),
		Condition: &registryv1.ConsultationCondition{Attribute: "sensitive", Operator: "equals", Value: structpb.NewBoolValue(true)},
	}}})
	return a
}

// TestAStreamShowsWhatTheAgentMakesWhileItWorks has an agent go on only when its caller has seen what it made, over each binding.
func TestAStreamShowsWhatTheAgentMakesWhileItWorks(t *testing.T) {
	w := newWorld(t)
	agent := w.addAuthor(t, false)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			var seen []string
			last := 0
			for e, err := range w.client(t, "/agents/author", binding).SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("write", nil)}) {
				if err != nil {
					t.Fatalf("SendStreamingMessage() = %v after %d artifacts", err, len(seen))
				}
				update, ok := e.(*a2a.TaskArtifactUpdateEvent)
				if !ok {
					continue
				}
				if !update.Append {
					seen = append(seen, "")
				}
				for _, p := range update.Artifact.Parts {
					seen[len(seen)-1] += p.Text()
				}
				if update.LastChunk {
					last++
				}
				if n := len(seen); n <= len(chapters) && seen[n-1] == chapters[n-1] {
					agent.goOn <- struct{}{}
				}
			}
			if len(seen) != len(chapters) || last != len(chapters) {
				t.Errorf("%d artifacts were sent, and %d last chunks, want each of %d once", len(seen), last, len(chapters))
			}
		})
	}
}

// TestASubscriberIsShownWhatTheAgentHasMadeSoFar has a second caller join when the agent has made something and is silent.
func TestASubscriberIsShownWhatTheAgentHasMadeSoFar(t *testing.T) {
	w := newWorld(t)
	agent := w.addAuthor(t, false)
	c := w.client(t, "/agents/author", bindings[0])
	ctx, stop := context.WithCancel(w.ctx)
	defer stop()
	joined := 0
	for e, err := range c.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: text("write", nil)}) {
		if err != nil {
			t.Fatalf("SendStreamingMessage() = %v", err)
		}
		if _, ok := e.(*a2a.TaskArtifactUpdateEvent); !ok {
			continue
		}
		for e, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: e.TaskInfo().TaskID}) {
			if err != nil {
				t.Fatalf("SubscribeToTask() = %v", err)
			}
			if update, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
				if word, _ := update.Metadata[taskExtension].(map[string]any); word["draft"] != true || update.Append || update.Artifact.Parts[0].Text() != chapters[0] {
					t.Errorf("the first artifact is %+v (append %t, metadata %v), want the first chapter as a draft", update.Artifact, update.Append, update.Metadata)
				}
				joined++
				break
			}
		}
		break
	}
	if joined != 1 {
		t.Errorf("%d subscribers were shown the first chapter, want 1", joined)
	}
	for range chapters {
		agent.goOn <- struct{}{}
	}
}

// TestAStreamShowsNothingThatAReviewHasToSee has the same agent work on what is sensitive.
func TestAStreamShowsNothingThatAReviewHasToSee(t *testing.T) {
	w := newWorld(t)
	agent := w.addAuthor(t, true)
	reported := 0
	for e, err := range w.client(t, "/agents/author", bindings[0]).SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("write", sensitive)}) {
		if err != nil {
			t.Fatalf("SendStreamingMessage() = %v", err)
		}
		switch e := e.(type) {
		case *a2a.TaskArtifactUpdateEvent:
			t.Errorf("artifact %+v was shown, of which no reviewer knows", e.Artifact)
		case *a2a.TaskStatusUpdateEvent:
			if word, _ := e.Metadata[taskExtension].(map[string]any); word["type"] == "remark" && reported < len(chapters) {
				reported++
				agent.goOn <- struct{}{}
			}
		}
	}
	if reported != len(chapters) {
		t.Errorf("the agent reported progress %d times, want %d", reported, len(chapters))
	}
}

// TestWhatAStreamShowedEndsAsWhatIsStored has agents make artifacts in all ways that A2A has, clients look now and then, and replays what these were sent.
func TestWhatAStreamShowedEndsAsWhatIsStored(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		made, client, shown := make(map[string]*a2apb.Artifact), make(map[string]*a2apb.Artifact), make(a2aedge.ShownArtifacts)
		for range 1 + r.IntN(8) {
			id := strconv.Itoa(r.IntN(2))
			made[id] = developed(r, id, made[id])
			if r.IntN(2) == 0 {
				for _, u := range shown.Drafts(copies(made)) {
					bring(client, u)
				}
			}
		}
		for id, a := range made {
			bring(client, shown.Final(a, false, true))
			if !proto.Equal(client[id], a) && len(a.GetParts()) > 0 {
				t.Fatalf("seed %d: the client has %v, want %v", seed, client[id], a)
			}
			if again := shown.Final(proto.CloneOf(a), false, true); again != nil {
				t.Fatalf("seed %d: %v is sent again, which the client has", seed, again)
			}
		}
	}
}

// TestTheLastChunkIsToldOnce has an agent say that an artifact is whole with nothing new in it: while it works, or as it ends.
func TestTheLastChunkIsToldOnce(t *testing.T) {
	t.Parallel()
	made := &a2apb.Artifact{ArtifactId: "a", Name: "n", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "all"}}}}
	draft := func(whole bool) []engine.Draft {
		return []engine.Draft{{Artifact: &a2apb.Artifact{ArtifactId: "a", Name: "n", Parts: made.GetParts()}, Whole: whole}}
	}
	for name, end := range map[string]func(a2aedge.ShownArtifacts) []*a2apb.TaskArtifactUpdateEvent{
		"while it works": func(s a2aedge.ShownArtifacts) []*a2apb.TaskArtifactUpdateEvent { return s.Drafts(draft(true)) },
		"as it ends": func(s a2aedge.ShownArtifacts) []*a2apb.TaskArtifactUpdateEvent {
			return []*a2apb.TaskArtifactUpdateEvent{s.Final(made, true, true)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := make(a2aedge.ShownArtifacts)
			if first := shown.Drafts(draft(false)); len(first) != 1 || first[0].GetLastChunk() {
				t.Fatalf("the first update is %v, want one that is not the last", first)
			}
			got := end(shown)
			if want := (&a2apb.TaskArtifactUpdateEvent{Artifact: made, LastChunk: true}); len(got) != 1 || !proto.Equal(got[0], want) {
				t.Errorf("the updates are %v, want %v", got, want)
			}
			if again, last := shown.Drafts(draft(true)), shown.Final(made, true, true); len(again) > 0 || last != nil {
				t.Errorf("then %v and %v are sent, which the client has", again, last)
			}
		})
	}
}

// TestATaskThatWaitsHasNoLastChunks has an agent ask something before it has said of its artifact that it is whole.
func TestATaskThatWaitsHasNoLastChunks(t *testing.T) {
	t.Parallel()
	made := &a2apb.Artifact{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}}}
	more := &a2apb.Artifact{ArtifactId: "a", Parts: []*a2apb.Part{made.GetParts()[0], {Content: &a2apb.Part_Text{Text: "two"}}}}
	shown := make(a2aedge.ShownArtifacts)
	for _, a := range []*a2apb.Artifact{made, more} {
		if got := shown.Final(a, false, false); got == nil || got.GetLastChunk() {
			t.Errorf("while the task waits, the update is %v, want one that is not the last", got)
		}
	}
	if got := shown.Final(more, true, false); !got.GetLastChunk() {
		t.Errorf("when the agent has said so, the update is %v, want the last", got)
	}
}

func copies(made map[string]*a2apb.Artifact) (list []engine.Draft) {
	for _, a := range made {
		list = append(list, engine.Draft{Artifact: proto.CloneOf(a)})
	}
	return list
}

// TestWhatAnAgentReplacesIsForgotten has an agent give what it makes another id each time.
func TestWhatAnAgentReplacesIsForgotten(t *testing.T) {
	t.Parallel()
	shown := make(a2aedge.ShownArtifacts)
	for n := range 100 {
		if got := shown.Drafts([]engine.Draft{{Artifact: &a2apb.Artifact{ArtifactId: strconv.Itoa(n), Parts: []*a2apb.Part{{}}}}}); len(got) != 1 || len(shown) != 1 {
			t.Fatalf("Drafts() of artifact %d = %v, and %d are kept, want its update, and one", n, got, len(shown))
		}
	}
}

// developed is an artifact after its agent's next step: it begins, replaces, renames or extends it.
func developed(r *rand.Rand, id string, a *a2apb.Artifact) *a2apb.Artifact {
	part := &a2apb.Part{Content: &a2apb.Part_Text{Text: strconv.Itoa(r.IntN(3))}}
	if a == nil || r.IntN(4) == 0 {
		return &a2apb.Artifact{ArtifactId: id, Name: strconv.Itoa(r.IntN(2)), Parts: []*a2apb.Part{part}}
	}
	a = proto.CloneOf(a)
	if r.IntN(3) == 0 {
		a.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(float64(r.IntN(2)))}}
	}
	a.Parts = append(a.Parts, part)
	return a
}

// bring does what an A2A client does with an update (A2A §4.2.2).
func bring(client map[string]*a2apb.Artifact, u *a2apb.TaskArtifactUpdateEvent) {
	a := u.GetArtifact()
	switch {
	case u == nil:
	case u.GetAppend():
		client[a.GetArtifactId()].Parts = append(client[a.GetArtifactId()].GetParts(), a.GetParts()...)
	default:
		client[a.GetArtifactId()] = proto.CloneOf(a)
	}
}
