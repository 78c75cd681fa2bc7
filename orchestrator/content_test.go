package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

func TestACopyOfAMessageSaysTheSameAndHasFieldsOfItsOwn(t *testing.T) {
	t.Parallel()
	m := &a2apb.Message{
		MessageId: "m", ContextId: "c", TaskId: "t", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "do it"}}},
		Metadata:   &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("v")}},
		Extensions: []string{"e"}, ReferenceTaskIds: []string{"r"},
	}
	const later = 1000 // a field of a version of A2A to come
	m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, later, protowire.BytesType), "new"))
	fields := m.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if !m.ProtoReflect().Has(fields.Get(i)) {
			t.Fatalf("the message has no %s: give it a value here", fields.Get(i).Name())
		}
	}
	before := proto.CloneOf(m)
	own := orchestrator.CopyMessage(m)
	if !proto.Equal(own, before) {
		t.Errorf("CopyMessage() = %v, want %v", own, before)
	}
	own.MessageId, own.TaskId, own.Role = "other", "", a2apb.Role_ROLE_AGENT
	own.Parts, own.Metadata, own.Extensions = nil, nil, []string{"f"}
	if !proto.Equal(m, before) {
		t.Errorf("the message is %v once fields of its copy were replaced, want %v", m, before)
	}
}

func TestEachContentHasADigestOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for name, part := range map[string]*a2apb.Part{
		"a text":           {Content: &a2apb.Part_Text{Text: "one"}},
		"another text":     {Content: &a2apb.Part_Text{Text: "two"}},
		"bytes":            {Content: &a2apb.Part_Raw{Raw: []byte("one")}},
		"other bytes":      {Content: &a2apb.Part_Raw{Raw: []byte("two")}},
		"a URL":            {Content: &a2apb.Part_Url{Url: "one"}},
		"another URL":      {Content: &a2apb.Part_Url{Url: "two"}},
		"data":             {Content: &a2apb.Part_Data{Data: structpb.NewStringValue("one")}},
		"other data":       {Content: &a2apb.Part_Data{Data: structpb.NewStringValue("two")}},
		"a text in a file": {Content: &a2apb.Part_Text{Text: "one"}, Filename: "a.txt"},
		"a typed text":     {Content: &a2apb.Part_Text{Text: "one"}, MediaType: "text/html"},
	} {
		of := map[string]string{
			"a message":         orchestrator.MessageDigest(&a2apb.Message{Parts: []*a2apb.Part{part}}),
			"one with it twice": orchestrator.MessageDigest(&a2apb.Message{Parts: []*a2apb.Part{part, part}}),
		}
		if got := orchestrator.ArtifactsDigest([]*a2apb.Artifact{{Parts: []*a2apb.Part{part}}}); got != of["a message"] {
			t.Errorf("ArtifactsDigest(%s) = %s, want that of a message with it, %s", name, got, of["a message"])
		}
		for what, digest := range of {
			if other, dup := seen[digest]; dup {
				t.Errorf("the digest of %s with %s is that of %s", what, name, other)
			}
			seen[digest] = what + " with " + name
		}
	}
}

func TestThereIsADigestOfWhatAPhaseIsAbout(t *testing.T) {
	t.Parallel()
	said := func(s string) []*a2apb.Part { return []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}} }
	task := &orchestrator.Task{
		Message: &a2apb.Message{Parts: said("do it")}, Artifacts: []*a2apb.Artifact{{Parts: said("done")}}, Error: &orchestrator.Error{Reason: "AGENT_FAILED", Message: "no"},
	}
	message, work := orchestrator.MessageDigest(task.Message), orchestrator.ArtifactsDigest(task.Artifacts)
	failure := orchestrator.MessageDigest(&a2apb.Message{Parts: append(said("AGENT_FAILED"), said("no")...)})
	for _, test := range []struct {
		in      orchestrator.Phase
		digests [4]string // of the message, of the work twice, and of the failure
	}{
		{orchestrator.PhasePreExecution, [4]string{message}},
		{orchestrator.PhaseExecution, [4]string{message}},
		{orchestrator.PhaseDesignReview, [4]string{message, work, work}},
		{orchestrator.PhasePreCompletion, [4]string{message, work, work}},
		{orchestrator.PhaseOnError, [4]string{message, work, work, failure}},
	} {
		task.Phase = test.in
		for i, of := range []orchestrator.Phase{orchestrator.PhasePreExecution, orchestrator.PhaseDesignReview, orchestrator.PhasePreCompletion, orchestrator.PhaseOnError} {
			if got := task.Digest(of); got != test.digests[i] {
				t.Errorf("in phase %s the digest for %s is %q, want %q", test.in, of, got, test.digests[i])
			}
		}
	}
	if got := task.Digest(orchestrator.PhaseExecution); got != "" {
		t.Errorf("the digest for the execution, in which nothing is reviewed, is %q, want none", got)
	}
	for _, other := range []*orchestrator.Error{nil, {Reason: "AGENT_FAILED", Message: "yes"}, {Reason: "AGENT_REJECTED", Message: "no"}} {
		if task.Error = other; task.Digest(orchestrator.PhaseOnError) == failure {
			t.Errorf("the digest of the failure %+v is that of another one", other)
		}
	}
	before := task.Digest(orchestrator.PhasePreCompletion)
	if task.Metadata = secret(); task.Digest(orchestrator.PhasePreCompletion) == before {
		t.Error("the digest of the work is the same with metadata of the agent's task, which callers get, too")
	}
}
