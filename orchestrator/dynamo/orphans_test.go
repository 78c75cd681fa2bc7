package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
)

// sender is a transport that has a say in each call.
type sender func(r *http.Request, operation string) (*http.Response, error)

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return s(r, operation)
}

// denied is a transport by which records can be written, but neither a task nor what is in vain can be removed.
func denied(r *http.Request, operation string) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if operation == "BatchWriteItem" || operation == "PutItem" && !bytes.Contains(body, []byte(`TaskBlobs"`)) {
		answer := `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException"}`
		return &http.Response{StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A writer that fails may leave more records than are read at a time, none of which has happened.
func TestALogHasNothingOfAWriterThatFailed(t *testing.T) {
	t.Parallel()
	const events, large = 22, 60_000 // bytes; each needs a record of its own, and DynamoDB returns 1 MB at a time
	say := func(detail string) func(*orchestrator.Task) ([]orchestrator.Event, error) {
		return func(*orchestrator.Task) (list []orchestrator.Event, err error) {
			for range events {
				list = append(list, orchestrator.Event{Type: orchestrator.EventProgress, Detail: detail})
			}
			return list, nil
		}
	}
	db := tables(t, nil)
	s := dynamo.New(db, dynamo.Options{})
	create(t, s, "a", epoch)
	if _, err := dynamo.New(reopen(t, db, sender(denied)), dynamo.Options{}).Update(t.Context(), key("a"), say(strings.Repeat("x", large))); err == nil {
		t.Fatal("Update() without permission = no error, want one")
	}
	if _, err := s.Update(t.Context(), key("a"), say("happened")); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	if n := len(recordsOf(t, db, "a", "log#")); n != events+2 {
		t.Errorf("there are %d records with events, want %d: otherwise the test shows nothing", n, events+2)
	}
	for _, after := range []uint64{1, 3} {
		got, err := s.Events(t.Context(), key("a"), after, 1)
		if err != nil || len(got) != 1 || got[0].Sequence != after+1 || got[0].Detail != "happened" {
			t.Errorf("Events(%d) = %d events, %v, want one that has happened", after, len(got), err)
		}
	}
}

func TestARequestThatIsGivenUpLeavesNothing(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	create(t, dynamo.New(db, dynamo.Options{}), "a", epoch)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	puts := 0
	leaving := sender(func(r *http.Request, operation string) (*http.Response, error) {
		if operation == "PutItem" {
			if puts++; puts == 2 {
				cancel()
			}
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	_, err := dynamo.New(reopen(t, db, leaving), dynamo.Options{}).Update(ctx, key("a"), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{{ArtifactId: "large", Parts: []*a2apb.Part{{Content: &a2apb.Part_Raw{Raw: make([]byte, 1<<20)}}}}}
		return nil, nil
	})
	if !errors.Is(err, context.Canceled) || puts != 2 {
		t.Errorf("Update() = %v after %d writes, want %v after the second", err, puts, context.Canceled)
	}
	if n := len(recordsOf(t, db, "a", "*")); n != 0 {
		t.Errorf("there are %d records of the artifact, want none", n)
	}
}
