package kit_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// assigned returns a message as Quorate sends it, as part of its task t1.
func assigned() *a2a.Message {
	message := say("x")
	message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{"taskId": "t1"}}
	return message
}

func TestAConsultationThatCannotBeHeldFails(t *testing.T) {
	t.Parallel()
	refusing := func(refused string) *quorate {
		q := newQuorate(t)
		q.consultations = func(int) *consultationv1.Consultation { return &consultationv1.Consultation{Id: "c1", State: "open"} }
		q.consulting = func(method string) error {
			if method == refused {
				return fault.New(fault.PermissionDenied, "NOT_YOURS", "the task is another agent's")
			}
			return nil
		}
		return q
	}
	page := kit.Artifact{Name: "page.md", Text: "# Hello"}
	tests := map[string]struct {
		quorate  *quorate
		message  *a2a.Message
		artifact kit.Artifact
		want     string
	}{
		"without a server":                {nil, assigned(), page, "NOT_A_QUORATE_TASK"},
		"in a task of nobody":             {refusing(""), say("x"), page, "NOT_A_QUORATE_TASK"},
		"about what is no JSON":           {refusing(""), assigned(), kit.Artifact{Text: "x", Metadata: map[string]any{"a": func() {}}}, "ARTIFACT_INVALID"},
		"when the request is refused":     {refusing(http.MethodPost), assigned(), page, "NOT_YOURS"},
		"when its result may not be read": {refusing(http.MethodGet), assigned(), page, "NOT_YOURS"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kit.Config{}
			if test.quorate != nil {
				c = member(test.quorate, nil)
			}
			c.Handler = func(ctx context.Context, task *kit.Task) error {
				_, err := task.Consult(ctx, "r1", test.artifact)
				return err
			}
			agent, _ := start(t, c)
			task := send(t, client(t, agent, a2a.TransportProtocolGRPC), test.message)
			if task.Status.State != a2a.TaskStateFailed || !strings.HasPrefix(statusText(task), test.want+": ") {
				t.Errorf("Consult() %s ends the task %s %q, want FAILED with %s", name, task.Status.State, statusText(task), test.want)
			}
		})
	}
}
