package board

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// SendMessage starts the task of a message, or finds it, and returns the task once it has ended or waits for a message, or at
// once if the caller asks for that.
func (b *Board) SendMessage(ctx context.Context, request *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	v, err := b.send(ctx, request)
	if err != nil {
		return nil, err
	}
	if request.Config == nil || !request.Config.ReturnImmediately {
		for _, err := range b.follow(ctx, v, true) {
			if err != nil {
				return nil, err
			}
		}
		v = v.entry.snapshot()
	}
	return withHistory(v.task, historyLength(request)), nil
}

// SendStreamingMessage starts the task of a message, or finds it, and yields the task and then each event until the task ends
// or waits for a message (section 11.7 of the specification).
func (b *Board) SendStreamingMessage(ctx context.Context, request *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return b.stream(ctx, true, historyLength(request), func() (view, error) { return b.send(ctx, request) })
}

// historyLength returns how many messages of the task an answer has at most; nil for all.
func historyLength(request *a2a.SendMessageRequest) *int {
	if request == nil || request.Config == nil {
		return nil
	}
	return request.Config.HistoryLength
}

// SubscribeToTask yields the task and then each event until the task ends, even if it waits in between. A task that has ended
// cannot be subscribed to.
func (b *Board) SubscribeToTask(ctx context.Context, request *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return b.stream(ctx, false, nil, func() (view, error) {
		if err := checkVersion(ctx); err != nil {
			return view{}, err
		}
		v, err := b.find(request.ID)
		if err == nil && v.task.Status.State.Terminal() {
			err = a2a.NewError(a2a.ErrUnsupportedOperation, fmt.Sprintf("the task has ended as %s", v.task.Status.State))
		}
		return v, err
	})
}

// GetTask returns the current state of a task.
func (b *Board) GetTask(ctx context.Context, request *a2a.GetTaskRequest) (*a2a.Task, error) {
	if err := checkVersion(ctx); err != nil {
		return nil, err
	}
	if err := checkHistory(request.HistoryLength); err != nil {
		return nil, err
	}
	v, err := b.find(request.ID)
	if err != nil {
		return nil, err
	}
	return withHistory(v.task, request.HistoryLength), nil
}

// CancelTask ends a task as canceled at once, and ends the context of its job. Canceling it again changes nothing.
func (b *Board) CancelTask(ctx context.Context, request *a2a.CancelTaskRequest) (*a2a.Task, error) {
	if err := checkVersion(ctx); err != nil {
		return nil, err
	}
	v, err := b.find(request.ID)
	if err != nil {
		return nil, err
	}
	if err := v.entry.update(a2a.TaskStateCanceled, ""); err == nil {
		v.entry.cancel(context.Canceled)
	}
	task := v.entry.snapshot().task
	if task.Status.State != a2a.TaskStateCanceled {
		return nil, a2a.NewError(a2a.ErrTaskNotCancelable, fmt.Sprintf("the task has ended as %s", task.Status.State))
	}
	return task, nil
}

func (b *Board) send(ctx context.Context, request *a2a.SendMessageRequest) (view, error) {
	if err := checkVersion(ctx); err != nil {
		return view{}, err
	}
	switch {
	case request == nil || request.Message == nil:
		return view{}, a2a.NewError(a2a.ErrInvalidParams, "the request has no message")
	case request.Message.ID == "" || len(request.Message.ID) > 256:
		return view{}, a2a.NewError(a2a.ErrInvalidParams, "the message needs an id of at most 256 bytes")
	case len(request.Message.Parts) == 0:
		return view{}, a2a.NewError(a2a.ErrInvalidParams, "the message has no parts")
	case request.Message.Role != a2a.MessageRoleUser:
		return view{}, a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("the role of a client's message is %s", a2a.MessageRoleUser))
	case request.Config != nil && request.Config.PushConfig != nil:
		return view{}, a2a.ErrPushNotificationNotSupported
	}
	if err := checkHistory(historyLength(request)); err != nil {
		return view{}, err
	}
	return b.admit(ctx, request)
}

func (b *Board) stream(ctx context.Context, untilAsked bool, history *int, open func() (view, error)) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		v, err := open()
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(withHistory(v.task, history), nil) {
			return
		}
		for event, err := range b.follow(ctx, v, untilAsked) {
			if !yield(event, err) {
				return
			}
		}
	}
}

// follow yields the events after the view until the task ends or, with untilAsked, waits for a message. It yields an error
// when ctx or the board ends.
func (b *Board) follow(ctx context.Context, v view, untilAsked bool) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if untilAsked && v.task.Status.State == a2a.TaskStateInputRequired {
			return
		}
		for seen := v.seen; ; {
			over := b.isOver() // before looking for events, of which there are no more then
			events, ended, changed := v.entry.since(seen)
			for _, event := range events {
				if !yield(event, nil) || untilAsked && isQuestion(event) {
					return
				}
			}
			if ended {
				return
			}
			if over {
				yield(nil, errUnavailable)
				return
			}
			seen += len(events)
			select {
			case <-changed:
			case <-b.over:
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

func (b *Board) isOver() bool {
	select {
	case <-b.over:
		return true
	default:
		return false
	}
}

func isQuestion(event a2a.Event) bool {
	update, ok := event.(*a2a.TaskStatusUpdateEvent)
	return ok && update.Status.State == a2a.TaskStateInputRequired
}

func checkHistory(length *int) error {
	if length != nil && *length < 0 {
		return a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("the history length %d is negative", *length))
	}
	return nil
}

// withHistory returns the task with at most length messages of history, or with all of it if length is nil.
func withHistory(task *a2a.Task, length *int) *a2a.Task {
	if length == nil || *length >= len(task.History) {
		return task
	}
	short := *task
	short.History = slices.Clone(task.History[len(task.History)-*length:])
	return &short
}

// checkVersion refuses calls in a protocol version that is not served. A caller that names none gets 1.0.
func checkVersion(ctx context.Context) error {
	call, ok := a2asrv.CallContextFrom(ctx)
	if !ok {
		return nil
	}
	versions, _ := call.ServiceParams().Get(a2a.SvcParamVersion)
	for _, v := range versions {
		if v != "" && v != string(a2a.Version) && !strings.HasPrefix(v, string(a2a.Version)+".") { // the patch does not matter
			return a2a.NewError(a2a.ErrVersionNotSupported, fmt.Sprintf("A2A version %.16q is not supported; this agent speaks %s", v, a2a.Version))
		}
	}
	return nil
}

// refusal is an error with a more specific gRPC code than the SDK would give it.
type refusal struct {
	code codes.Code
	text string
}

var (
	errUnavailable = &refusal{codes.Unavailable, "the agent is stopping; send the message again later"}
	errFull        = &refusal{codes.ResourceExhausted, "the agent has as many tasks as it can take; send the message again later"}
)

func (r *refusal) Error() string              { return r.text }
func (r *refusal) Unwrap() error              { return a2a.ErrServerError }
func (r *refusal) GRPCStatus() *status.Status { return status.New(r.code, r.text) }
