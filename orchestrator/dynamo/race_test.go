package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// rival acts before each write of a task's item arrives, or after it was done, and counts the writes of records.
type rival struct {
	before, after func() // nil is nothing; the answer is lost if there is an after
	records       atomic.Int64
}

func (v *rival) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".PutItem") {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	state := !bytes.Contains(body, []byte(`TaskBlobs"`))
	if !state {
		v.records.Add(1)
	} else if v.before != nil {
		v.before()
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && state && v.after != nil {
		_ = answer.Body.Close()
		v.after()
		return nil, io.ErrUnexpectedEOF
	}
	return answer, err
}

// picture returns a new artifact as large as they may be. Protocol buffers with maps are encoded in another way each time unless that is asked for.
func picture(id string) *a2apb.Artifact {
	about := &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	for i := range 40 {
		about.Fields[strconv.Itoa(i)] = structpb.NewNumberValue(float64(i))
	}
	return &a2apb.Artifact{ArtifactId: id, Metadata: about, Parts: []*a2apb.Part{{Content: &a2apb.Part_Raw{Raw: make([]byte, orchestrator.MaxTaskBytes-1<<10)}}}}
}

// beaten has a replica write an artifact to a task while others are faster, times times, and returns how many records it has written.
func beaten(t *testing.T, db *ddb.Client, times int, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (records int64, err error) {
	t.Helper()
	v, won := &rival{}, 0
	quick, slow := dynamo.New(db, dynamo.Options{}), dynamo.New(reopen(t, db, v), dynamo.Options{})
	create(t, quick, "a", epoch)
	v.before = func() {
		if won == times {
			return
		}
		won++
		if _, err := quick.Update(t.Context(), key("a"), func(*orchestrator.Task) ([]orchestrator.Event, error) {
			return []orchestrator.Event{{Type: orchestrator.EventProgress}}, nil
		}); err != nil {
			t.Errorf("Update() = %v, want no error", err)
		}
	}
	_, err = slow.Update(t.Context(), key("a"), change)
	if won != times {
		t.Errorf("%d others were faster, want %d", won, times)
	}
	return v.records.Load(), err
}

// An artifact of 4 MiB takes seconds to be written, in which others may write to its task again and again.
func TestALargeArtifactIsWrittenOnceThoughOthersAreFaster(t *testing.T) {
	t.Parallel()
	const times, parts = 5, 12
	db := tables(t, nil)
	written, err := beaten(t, db, times, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{picture("")}
		return []orchestrator.Event{{Type: orchestrator.EventDelivered}}, nil
	})
	if err != nil || written > parts+times+1 {
		t.Errorf("Update() = %v and wrote %d records, want %d of the artifact, and one more for each of %d tries", err, written, parts, times+1)
	}
	wantPicture(t, db, "")
	for kind, want := range map[string]int{"*": parts, "log#": times + 2} {
		if n := len(recordsOf(t, db, "a", kind)); n != want {
			t.Errorf("there are %d records %s, want %d: what was in vain is deleted", n, kind, want)
		}
	}
}

func TestALaterTryWritesWhatDiffers(t *testing.T) {
	t.Parallel()
	const parts = 12
	db := tables(t, nil)
	if _, err := beaten(t, db, 2, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{picture(strconv.Itoa(int(t.LastEvent)))}
		return nil, nil
	}); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	wantPicture(t, db, "3")
	if n := len(recordsOf(t, db, "a", "*")); n != parts {
		t.Errorf("there are %d records of artifacts, want %d: what was in vain is deleted", n, parts)
	}
}

func TestAChangeThatGivesUpLeavesNothing(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	over := errors.New("over")
	if _, err := beaten(t, db, 1, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.LastEvent > 1 {
			return nil, over
		}
		t.Artifacts = []*a2apb.Artifact{picture("")}
		return nil, nil
	}); !errors.Is(err, over) {
		t.Errorf("Update() = %v, want %v", err, over)
	}
	if n := len(recordsOf(t, db, "a", "*")); n != 0 {
		t.Errorf("there are %d records of the artifact, want none", n)
	}
}

// wantPicture checks what a replica reads that has read nothing yet.
func wantPicture(t *testing.T, db *ddb.Client, id string) {
	t.Helper()
	got, err := dynamo.New(db, dynamo.Options{}).Task(t.Context(), key("a"))
	if err != nil || len(got.Artifacts) != 1 || !proto.Equal(got.Artifacts[0], picture(id)) {
		t.Errorf("Task() = %d artifacts, %v, want picture %q alone, and whole", len(got.Artifacts), err, id)
	}
}

// A write whose answer is lost for good may have been done, and then the task refers to its records.
func TestAChangeWhoseOutcomeIsUnknownKeepsItsRecords(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	create(t, dynamo.New(db, dynamo.Options{}), "a", epoch)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	v := &rival{after: cancel}
	_, err := dynamo.New(reopen(t, db, v), dynamo.Options{}).Update(ctx, key("a"), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{picture("")}
		return nil, nil
	})
	if fault.ReasonOf(err) != "WRITE_OUTCOME_UNKNOWN" {
		t.Errorf("Update() = %v, want WRITE_OUTCOME_UNKNOWN", err)
	}
	wantPicture(t, db, "")
}
