package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/platform/restclient"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// session is the client for one server.
type session struct{ client *restclient.Client }

func (s *session) get(ctx context.Context, path string, query url.Values, out proto.Message) error {
	return s.call(ctx, http.MethodGet, path, query, nil, out)
}

func (s *session) post(ctx context.Context, path string, in, out proto.Message) error {
	return s.call(ctx, http.MethodPost, path, nil, in, out)
}

func (s *session) delete(ctx context.Context, path string, query url.Values, out proto.Message) error {
	return s.call(ctx, http.MethodDelete, path, query, nil, out)
}

// patience bounds how long a call waits for its turn when its caller calls faster than the server lets it.
const patience = time.Minute

func (s *session) call(ctx context.Context, method, path string, query url.Values, in, out proto.Message) error {
	return inTurn(ctx, func() error { return s.client.Call(ctx, method, path, query, in, out) })
}

func (s *session) stream(ctx context.Context, path string, query url.Values, newMessage func() proto.Message, each func(proto.Message) error) error {
	return inTurn(ctx, func() error { return s.client.Stream(ctx, path, query, newMessage, each) })
}

// inTurn waits for its turn where the server limits the rate of calls: a call that came too early was not begun.
func inTurn(ctx context.Context, call func() error) error {
	for left := patience; ; {
		err := call()
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Reason != "RATE_LIMITED" || e.RetryAfter <= 0 || e.RetryAfter > left {
			return err
		}
		left -= e.RetryAfter
		if pause.For(ctx, e.RetryAfter) != nil {
			return ctx.Err()
		}
	}
}

const (
	tries      = 3
	firstPause = 250 * time.Millisecond
)

// postOnce posts a request that has a request id. The server executes it once however often it arrives, so it is repeated when the answer is lost.
func (s *session) postOnce(ctx context.Context, path string, in, out proto.Message) error {
	delay := firstPause
	for try := 1; ; try++ {
		err := s.post(ctx, path, in, out)
		if try == tries || fault.ReasonOf(err) != "SERVER_UNREACHABLE" {
			return err
		}
		if pause.For(ctx, delay) != nil {
			return ctx.Err()
		}
		delay *= 2
	}
}

func (s *session) task(ctx context.Context, id string) (*orchestratorv1.Task, error) {
	task := &orchestratorv1.Task{}
	return task, s.get(ctx, taskPath(id), nil, task)
}

func (s *session) check(ctx context.Context, task, phase string) (*consultationv1.CheckConsultationsResponse, error) {
	query := url.Values{}
	if phase != "" {
		query.Set("phase", phase)
	}
	check := &consultationv1.CheckConsultationsResponse{}
	return check, s.get(ctx, taskPath(task)+":checkConsultations", query, check)
}

// consultations returns all consultations of a task, at most 100.
func (s *session) consultations(ctx context.Context, task string) (*consultationv1.ListConsultationsResponse, error) {
	all, _, err := list(ctx, s, taskPath(task)+"/consultations", nil, maxItems, (*consultationv1.ListConsultationsResponse).GetConsultations)
	return &consultationv1.ListConsultationsResponse{Consultations: all}, err
}

func agentPath(name string) string { return "/v1/agents/" + url.PathEscape(name) }

func taskPath(id string) string { return "/v1/tasks/" + url.PathEscape(id) }

// requestID returns given, or a new random id.
func requestID(given string) string {
	if given != "" {
		return given
	}
	return rand.Text()
}
