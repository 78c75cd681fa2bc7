package orchestrator_test

import (
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// request is one with metadata, and with metadata in its message.
func request(t *testing.T) *a2apb.SendMessageRequest {
	t.Helper()
	return &a2apb.SendMessageRequest{
		Message:       &a2apb.Message{MessageId: "m", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}}, Metadata: object(t, map[string]any{"of": "the message"})},
		Metadata:      object(t, map[string]any{"of": "the request", "list": []any{1.0, nil}}),
		Configuration: &a2apb.SendMessageConfiguration{AcceptedOutputModes: []string{"text/plain", "image/png"}},
	}
}

func object(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARequestIsKeptInItsMessage(t *testing.T) {
	t.Parallel()
	req := request(t)
	before := proto.CloneOf(req)
	m, err := orchestrator.EmbedRequest(req)
	if err != nil || orchestrator.CheckRequest(m) != nil {
		t.Fatalf("EmbedRequest() = %v, %v, want a message that CheckRequest accepts", m, err)
	}
	if got := orchestrator.ExtractRequest(m); !proto.Equal(got, before) || !proto.Equal(req, before) {
		t.Errorf("ExtractRequest() = %v, want %v, with that as it was", got, before)
	}
	if got := orchestrator.WithoutRequest(m); !proto.Equal(got, before.GetMessage()) {
		t.Errorf("WithoutRequest() = %v, want %v", got, before.GetMessage())
	}
	if got := orchestrator.ExtractRequest(orchestrator.WithoutModes(m)); got.GetConfiguration() != nil || !proto.Equal(got.GetMetadata(), before.GetMetadata()) {
		t.Errorf("ExtractRequest(WithoutModes()) = %v, want it without the output modes", got)
	}
	if _, err := orchestrator.EmbedRequest(&a2apb.SendMessageRequest{Message: m, Metadata: before.GetMetadata()}); fault.ReasonOf(err) != "REQUEST_FIELDS_DUPLICATE" {
		t.Errorf("EmbedRequest() of a message that has one = %v, want REQUEST_FIELDS_DUPLICATE", err)
	}
	plain := &a2apb.SendMessageRequest{Message: before.GetMessage(), Configuration: &a2apb.SendMessageConfiguration{ReturnImmediately: true}}
	if m, err := orchestrator.EmbedRequest(plain); m != before.GetMessage() || err != nil {
		t.Errorf("EmbedRequest() of a request that says no more than its message = %v, %v, want the message", m, err)
	}
}

func TestARequestThatSaysLessIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*a2apb.SendMessageRequest){
		"beside a message without metadata": func(r *a2apb.SendMessageRequest) { r.Message.Metadata = nil },
		"metadata":                          func(r *a2apb.SendMessageRequest) { r.Configuration = nil },
		"one mode": func(r *a2apb.SendMessageRequest) {
			r.Metadata, r.Configuration.AcceptedOutputModes = nil, []string{"text/plain"}
		},
		"nothing": func(r *a2apb.SendMessageRequest) { r.Metadata, r.Configuration = nil, nil },
	} {
		req := request(t)
		change(req)
		m, err := orchestrator.EmbedRequest(req)
		if err != nil || orchestrator.CheckRequest(m) != nil {
			t.Fatalf("%s: EmbedRequest() = %v, %v, want a message that CheckRequest accepts", name, m, err)
		}
		if got := orchestrator.ExtractRequest(m); !proto.Equal(got, req) {
			t.Errorf("%s: ExtractRequest() = %v, want %v", name, got, req)
		}
		if got := orchestrator.WithoutRequest(m); !proto.Equal(got, req.GetMessage()) {
			t.Errorf("%s: WithoutRequest() = %v, want %v", name, got, req.GetMessage())
		}
	}
}

func TestARequestIsReviewed(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for name, change := range map[string]func(*a2apb.SendMessageRequest){
		"nothing":        func(r *a2apb.SendMessageRequest) { r.Metadata, r.Configuration = nil, nil },
		"metadata":       func(r *a2apb.SendMessageRequest) { r.Configuration = nil },
		"modes":          func(r *a2apb.SendMessageRequest) { r.Metadata = nil },
		"both":           func(*a2apb.SendMessageRequest) {},
		"other modes":    func(r *a2apb.SendMessageRequest) { r.Configuration.AcceptedOutputModes = []string{"image/png"} },
		"other metadata": func(r *a2apb.SendMessageRequest) { r.Metadata = object(t, map[string]any{"of": "xyzzy"}) },
	} {
		req := request(t)
		change(req)
		m, err := orchestrator.EmbedRequest(req)
		if err != nil {
			t.Fatal(err)
		}
		digest := orchestrator.MessageDigest(m)
		if other, dup := seen[digest]; dup {
			t.Errorf("MessageDigest() with %s beside the message is that with %s", name, other)
		}
		seen[digest] = name
	}
}

// TestOnlyQuorateSendsConsultations has a caller put the terms of one beside its message.
func TestOnlyQuorateSendsConsultations(t *testing.T) {
	t.Parallel()
	forged := object(t, map[string]any{consultation.ExtensionURI: map[string]any{"consultationId": "c"}, orchestrator.TraceparentKey: "00-1-2-01", "a": "b"})
	m, err := orchestrator.EmbedRequest(&a2apb.SendMessageRequest{Message: &a2apb.Message{}, Metadata: forged})
	if err != nil {
		t.Fatal(err)
	}
	direct := &a2apb.Message{Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{
		orchestrator.RequestKey: structpb.NewStructValue(object(t, map[string]any{"metadata": forged.AsMap()})),
	}}}
	for _, m := range []*a2apb.Message{m, direct} {
		if got := orchestrator.ExtractRequest(m).GetMetadata().AsMap(); len(got) != 1 || got["a"] != "b" {
			t.Errorf("ExtractRequest() has the metadata %v, want no terms and no trace", got)
		}
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]any{
		"a text": "x", "nothing": nil, "an unknown field": map[string]any{"tenant": "x"}, "metadata that is a list": map[string]any{"metadata": []any{}},
		"modes that are a text": map[string]any{"acceptedOutputModes": "text/plain"}, "a mode that is a number": map[string]any{"acceptedOutputModes": []any{1.0}},
		"too many modes": map[string]any{"acceptedOutputModes": slices.Repeat([]any{"a/b"}, orchestrator.MaxOutputModes+1)},
	} {
		m := &a2apb.Message{Metadata: object(t, map[string]any{orchestrator.RequestKey: word})}
		if err := orchestrator.CheckRequest(m); fault.ReasonOf(err) != "REQUEST_FIELDS_INVALID" {
			t.Errorf("CheckRequest(%s) = %v, want REQUEST_FIELDS_INVALID", name, err)
		}
	}
	empty := &structpb.Struct{Fields: map[string]*structpb.Value{orchestrator.RequestKey: structpb.NewStructValue(&structpb.Struct{})}} // as it is read from the wire
	if err := orchestrator.CheckRequest(&a2apb.Message{Metadata: empty}); err != nil {
		t.Errorf("CheckRequest() of an empty object = %v, want no error", err)
	}
	for name, word := range map[string]any{
		"an empty object": map[string]any{}, "metadata alone": map[string]any{"metadata": map[string]any{"a": nil}},
		"as many modes as may be": map[string]any{"acceptedOutputModes": slices.Repeat([]any{"a/b"}, orchestrator.MaxOutputModes)},
	} {
		if err := orchestrator.CheckRequest(&a2apb.Message{Metadata: object(t, map[string]any{orchestrator.RequestKey: word})}); err != nil {
			t.Errorf("CheckRequest(%s) = %v, want no error", name, err)
		}
	}
}
