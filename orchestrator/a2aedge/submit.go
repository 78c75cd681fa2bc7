package a2aedge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"buf.build/go/protovalidate"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// TaskExtension is orchestrator.TaskExtension.
const TaskExtension = orchestrator.TaskExtension

const maxAgentName = 64 // letters, digits and hyphens

// SendMessage implements the RPC: it answers when the task has ended or waits for somebody, at once if the client asked for that, and before the server ends.
func (s *Service) SendMessage(ctx context.Context, req *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	t, err := s.submit(ctx, req)
	if err != nil {
		return nil, err
	}
	if !req.GetConfiguration().GetReturnImmediately() && !orchestrator.Interrupted(t.State) {
		if t, err = s.await(ctx, t); err != nil {
			return nil, err
		}
	}
	shown, err := s.show(ctx, &t, view{history: historyLength(req), artifacts: true})
	if err != nil {
		return nil, err
	}
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Task{Task: shown}}, nil
}

// await returns a task when it has ended or waits for somebody. If the server stops before that, it returns the task as it is: other replicas go on with it, and
// without an answer the client would not know its id, and have it done again. If the caller's token expires or is taken away, it returns the task as it was.
func (s *Service) await(ctx context.Context, t orchestrator.Task) (orchestrator.Task, error) {
	waiting, release := rpcserver.UntilDismissed(ctx)
	defer release()
	now, err := s.engine.Await(waiting, t.Key())
	switch {
	case err == nil:
		return now, nil
	case waiting.Err() == nil || ctx.Err() != nil:
		return now, err
	case now.ID == "" || fault.ReasonOf(context.Cause(waiting)) != rpcserver.ReasonCutOff: // the wait ended during a read; or what came since is not for this caller
		return t, nil
	}
	return now, nil
}

// historyLength returns how many messages of the task the answer has at most; nil for all.
func historyLength(req *a2apb.SendMessageRequest) *int32 {
	if c := req.GetConfiguration(); c != nil {
		return c.HistoryLength
	}
	return nil
}

// submit makes a task from a message.
func (s *Service) submit(ctx context.Context, req *a2apb.SendMessageRequest) (orchestrator.Task, error) {
	if err := checkCall(ctx, historyLength(req)); err != nil {
		return orchestrator.Task{}, err
	}
	webhook, err := inlineWebhook(req)
	if err != nil {
		return orchestrator.Task{}, err
	}
	if err := embedRequest(req); err != nil {
		return orchestrator.Task{}, err
	}
	if id := req.GetMessage().GetTaskId(); id != "" {
		return s.followUp(ctx, req, webhook)
	}
	if err := checkMessage(req.GetMessage()); err != nil {
		return orchestrator.Task{}, err
	}
	if err := addExtensions(ctx, req.GetMessage()); err != nil {
		return orchestrator.Task{}, err
	}
	task, err := submitRequestOf(req)
	if err != nil {
		return orchestrator.Task{}, err
	}
	p, err := taskrpc.Caller(ctx)
	if err != nil {
		return orchestrator.Task{}, err
	}
	if err := s.checkExtensions(ctx, p.Tenant, task); err != nil {
		return orchestrator.Task{}, err
	}
	submission := taskrpc.NewSubmission(p, task)
	submission.Webhook = webhook
	t, err := s.engine.Submit(ctx, submission)
	return t, translate(err)
}

// embedRequest puts what the request says beside its message into the message, with which it is stored.
func embedRequest(req *a2apb.SendMessageRequest) (err error) {
	if _, found := req.GetMetadata().GetFields()[TaskExtension]; found { // a rule about an attribute in it would have no effect
		return fault.Invalid("metadata", "TASK_EXTENSION_INVALID", "what stands under %s belongs into the message's metadata, not into that of the request", TaskExtension)
	}
	req.Message, err = orchestrator.EmbedRequest(req)
	return err
}

// checkMessage refuses what A2A does not allow in a message from a client (A2A §4.1.4). The engine checks parts and ids.
func checkMessage(m *a2apb.Message) error {
	switch {
	case m == nil:
		return fault.Invalid("message", "MESSAGE_MISSING", "there is no message")
	case m.GetMessageId() == "":
		return fault.Invalid("message.message_id", "MESSAGE_ID_MISSING", "the message has no messageId")
	case m.GetRole() == a2apb.Role_ROLE_UNSPECIFIED:
		return fault.Invalid("message.role", "ROLE_INVALID", "the message has no role, or one that A2A does not have; a client's message has the role ROLE_USER, or user in A2A 0.3")
	case m.GetRole() != a2apb.Role_ROLE_USER:
		return fault.Invalid("message.role", "ROLE_INVALID", "the role of a client's message is ROLE_USER, not %s", m.GetRole())
	}
	return nil
}

// submitRequestOf returns the request as one of the task API: the message, and the metadata under TaskExtension.
func submitRequestOf(req *a2apb.SendMessageRequest) (*orchestratorv1.SubmitTaskRequest, error) {
	task := &orchestratorv1.SubmitTaskRequest{}
	const field = "message.metadata"
	ours, extended := req.GetMessage().GetMetadata().GetFields()[TaskExtension]
	if extended {
		raw, err := protojson.Marshal(ours)
		if err == nil {
			// Unknown fields are errors: a misspelt attribute could leave a rule without effect.
			err = protojson.UnmarshalOptions{RecursionLimit: maxDepth}.Unmarshal(raw, task)
		}
		if err != nil {
			return nil, fault.Invalid(field, "TASK_EXTENSION_INVALID", "what stands under %s is not valid: %s", TaskExtension, apijson.Problem(err))
		}
		if task.GetMessage() != nil {
			return nil, fault.Invalid(field, "TASK_EXTENSION_INVALID", "the message under %s would hide the message that it is part of", TaskExtension)
		}
	}
	if err := setRoute(task, req); err != nil {
		return nil, err
	}
	if extended { // what setRoute sets itself is valid
		task.Message = placeholderMessage
		if err := validate(task); err != nil {
			return nil, err
		}
	}
	task.Message = req.GetMessage()
	return task, nil
}

// placeholderMessage stands for the message while a request is validated: its content has no rules, and walking it takes as long as all rules together.
var placeholderMessage = &a2apb.Message{}

// validate checks a request by the rules of the task API.
func validate(req proto.Message) error {
	err := protovalidate.Validate(req)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return fmt.Errorf("validate a task: %w", err) // a rule of ours is wrong
	}
	list, text := rpcserver.Violations(invalid)
	f := fault.New(fault.InvalidArgument, "TASK_EXTENSION_INVALID", "what stands under %s in the message's metadata is not valid; %s", TaskExtension, text)
	f.Violations = list
	return f
}

// setRoute sets the route: to the agent of the base URL, as the metadata says, or else by the text of the message.
func setRoute(task *orchestratorv1.SubmitTaskRequest, req *a2apb.SendMessageRequest) error {
	agent := req.GetTenant()
	switch {
	case len(agent) > maxAgentName:
		return fault.New(fault.NotFound, "AGENT_NOT_FOUND", "no agent has the tenant's name, which is %d bytes long; names have at most %d", len(agent), maxAgentName)
	case agent != "" && task.GetRoute().GetTo() == nil: // the metadata may still restrict its version
		route := task.GetRoute()
		if route == nil {
			route = &orchestratorv1.Route{}
		}
		route.To = &orchestratorv1.Route_Agent{Agent: agent}
		task.Route = route
	case agent != "" && task.GetRoute().GetAgent() != agent:
		return fault.Invalid("tenant", "ROUTE_AMBIGUOUS", "the tenant names agent %q and the message's metadata names another route; give one", agent)
	case task.GetRoute() == nil:
		if text := routeText(req.GetMessage()); text != "" {
			task.Route = &orchestratorv1.Route{To: &orchestratorv1.Route_Text{Text: text}}
			return nil
		}
		return fault.Invalid("tenant", "ROUTE_MISSING",
			"nothing says where the message goes: set tenant to an agent's name, send to /agents/{name}, or put {\"route\": …} in message.metadata under %s", TaskExtension)
	}
	return nil
}

// routeText returns the text of a message, as much as a route by text takes.
func routeText(m *a2apb.Message) string {
	var b strings.Builder
	for _, p := range m.GetParts() {
		if text := strings.TrimSpace(p.GetText()); text != "" {
			b.WriteString(text + "\n")
		}
	}
	const most = 4096
	if all := []rune(strings.TrimSpace(b.String())); len(all) > most {
		return string(all[:most])
	}
	return strings.TrimSpace(b.String())
}
