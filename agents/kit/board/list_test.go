package board_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
)

func TestTheListHasWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
			return job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewTextPart("x")}})
		}})
		defer stop(t, b)
		first := send(t, b, say("x"))
		time.Sleep(time.Second) //nolint:forbidigo // inside a bubble it waits for nothing
		second := send(t, b, say("x"))
		for name, test := range map[string]struct {
			request a2a.ListTasksRequest
			want    int
		}{
			"all":                   {a2a.ListTasksRequest{}, 2},
			"of a context":          {a2a.ListTasksRequest{ContextID: first.ContextID}, 1},
			"in a state":            {a2a.ListTasksRequest{Status: a2a.TaskStateCompleted}, 2},
			"in another state":      {a2a.ListTasksRequest{Status: a2a.TaskStateFailed}, 0},
			"changed as the first":  {a2a.ListTasksRequest{StatusTimestampAfter: first.Status.Timestamp}, 2}, // the time itself counts
			"changed as the second": {a2a.ListTasksRequest{StatusTimestampAfter: second.Status.Timestamp}, 1},
			"changed after all":     {a2a.ListTasksRequest{StatusTimestampAfter: new(second.Status.Timestamp.Add(time.Nanosecond))}, 0},
		} {
			test.request.IncludeArtifacts = true
			page, err := b.ListTasks(t.Context(), &test.request)
			if err != nil || len(page.Tasks) != test.want || page.TotalSize != test.want || page.PageSize != 50 {
				t.Fatalf("ListTasks() of those %s = %v, %v, want %d on a page of 50", name, page, err, test.want)
			}
			for _, task := range page.Tasks {
				if len(task.Artifacts) != 1 {
					t.Errorf("ListTasks() of those %s has %d artifacts, want the one that was asked for", name, len(task.Artifacts))
				}
			}
		}
	})
}
