package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/pause"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// job is a kind of task.
type job struct {
	route *orchestratorv1.Route
	text  string                                        // of the message and, for a route by contract, of the idea
	play  func(l *load, ctx context.Context, id string) // what the caller does until the task ends by itself; nil is nothing
	state a2apb.TaskState                               // how it must end
	made  string                                        // the text that it must deliver
}

// jobs are asked for in turn.
var jobs = []job{
	{agent(echo.Name), "hello", nil, a2apb.TaskState_TASK_STATE_COMPLETED, "hello"},
	{agent(echo.Name), "sleep 300ms hello", nil, a2apb.TaskState_TASK_STATE_COMPLETED, "hello"},
	{agent(echo.Name), "sleep 2s hello", nil, a2apb.TaskState_TASK_STATE_COMPLETED, "hello"},
	{agent(echo.Name), "fail on purpose", nil, a2apb.TaskState_TASK_STATE_FAILED, ""},
	{agent(echo.Name), "hang", (*load).cancelSoon, a2apb.TaskState_TASK_STATE_CANCELED, ""},
	{agent(guarded), "sleep 300ms hello", (*load).review, a2apb.TaskState_TASK_STATE_COMPLETED, "hello"},
	{agent(guarded), "password = hunter22", (*load).reviewInVain, a2apb.TaskState_TASK_STATE_CANCELED, ""},
	{agent(asker), "ask me", (*load).reply, a2apb.TaskState_TASK_STATE_COMPLETED, "goodbye"},
	{chain, "a tale", nil, a2apb.TaskState_TASK_STATE_COMPLETED, "paper of a tale\ndraft of a tale\na tale"},
}

func agent(name string) *orchestratorv1.Route {
	return &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: name}}
}

// chain is a route that only the drafter and the finisher can do together.
var chain = &orchestratorv1.Route{To: &orchestratorv1.Route_Contract{Contract: &orchestratorv1.Contract{
	Inputs: []*orchestratorv1.Typed{{Name: "idea"}}, Output: &orchestratorv1.Typed{Name: "paper"},
}}}

func (j *job) request(number int) *orchestratorv1.SubmitTaskRequest {
	r := &orchestratorv1.SubmitTaskRequest{RequestId: fmt.Sprint("chaos-", number), Route: j.route, Message: message(j.text)}
	if j.route == chain {
		r.Inputs = []*orchestratorv1.TaskInput{{Name: "idea", Value: structpb.NewStringValue(j.text)}}
	}
	return r
}

func message(text string) *a2apb.Message {
	return &a2apb.Message{Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}}}
}

// The id of a task is the request id of what its caller does with it, so that a repetition changes nothing.

// cancelSoon cancels a task at any time of its life.
func (l *load) cancelSoon(ctx context.Context, id string) {
	if pause.For(ctx, rand.N(time.Second)) == nil { //nolint:gosec // any time
		l.persist(ctx, http.MethodPost, taskPath(id)+":cancel", &orchestratorv1.CancelTaskRequest{}, &orchestratorv1.Task{})
	}
}

// reply answers the task's question.
func (l *load) reply(ctx context.Context, id string) {
	l.await(ctx, id, waits)
	l.persist(ctx, http.MethodPost, taskPath(id)+":reply", &orchestratorv1.ReplyToTaskRequest{RequestId: id, Message: message("goodbye")}, &orchestratorv1.Task{})
}

// review has the work reviewed that a gate holds back.
func (l *load) review(ctx context.Context, id string) {
	l.await(ctx, id, waits)
	request := &consultationv1.RequestConsultationRequest{RequirementId: review, RequestId: id}
	l.persist(ctx, http.MethodPost, taskPath(id)+"/consultations", request, &consultationv1.Consultation{})
}

// reviewInVain has work reviewed that the reviewer rejects, and cancels the task then, which would wait for ever.
func (l *load) reviewInVain(ctx context.Context, id string) {
	l.review(ctx, id)
	l.await(ctx, id, func(t *orchestratorv1.Task) bool {
		for _, g := range t.GetGates() {
			for _, r := range g.GetRequirements() {
				if r.GetVerdict() == kit.Rejected {
					return waits(t)
				}
			}
		}
		return false
	})
	l.cancelSoon(ctx, id)
}

func waits(t *orchestratorv1.Task) bool {
	return t.GetState() == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED
}

// await reads a task until a condition holds, or until it has ended.
func (l *load) await(ctx context.Context, id string, holds func(*orchestratorv1.Task) bool) {
	for {
		task := &orchestratorv1.Task{}
		if !l.persist(ctx, http.MethodGet, taskPath(id), nil, task) || holds(task) || orchestrator.Terminal(task.GetState()) || pause.For(ctx, submitPause) != nil {
			return
		}
	}
}

func taskPath(id string) string { return "/v1/tasks/" + url.PathEscape(id) }
