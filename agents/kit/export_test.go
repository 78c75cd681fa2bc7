package kit

import (
	"context"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
)

// NewTask returns a task for a job.
func NewTask(job *board.Job) *Task { return &Task{job: job} }

// Record records the outcome of the consultation that message carries, through web.
func Record(ctx context.Context, c Config, web http.RoundTripper, message *a2a.Message, outcome Outcome) error {
	said, err := readAssignment(message)
	if err != nil {
		return err
	}
	v := newVerdicts(c, web)
	if err := v.exporter.Start(ctx); err != nil {
		return err
	}
	return v.record(ctx, &Task{Message: message, assignment: said}, outcome)
}
