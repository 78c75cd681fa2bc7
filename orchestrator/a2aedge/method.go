package a2aedge

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// method is an A2A operation.
type method struct {
	name     string
	request  proto.Message
	response proto.Message
	stream   bool
}

func (m *method) path() string { return "/lf.a2a.v1.A2AService/" + m.name }

// methods are the operations of A2A by name. The names are also the JSON-RPC methods.
var methods = func() map[string]*method {
	table := make(map[string]*method)
	for _, m := range []*method{
		{name: "SendMessage", request: &a2apb.SendMessageRequest{}, response: &a2apb.SendMessageResponse{}},
		{name: "SendStreamingMessage", request: &a2apb.SendMessageRequest{}, response: &a2apb.StreamResponse{}, stream: true},
		{name: "GetTask", request: &a2apb.GetTaskRequest{}, response: &a2apb.Task{}},
		{name: "ListTasks", request: &a2apb.ListTasksRequest{}, response: &a2apb.ListTasksResponse{}},
		{name: "CancelTask", request: &a2apb.CancelTaskRequest{}, response: &a2apb.Task{}},
		{name: "SubscribeToTask", request: &a2apb.SubscribeToTaskRequest{}, response: &a2apb.StreamResponse{}, stream: true},
		{name: "CreateTaskPushNotificationConfig", request: &a2apb.TaskPushNotificationConfig{}, response: &a2apb.TaskPushNotificationConfig{}},
		{name: "GetTaskPushNotificationConfig", request: &a2apb.GetTaskPushNotificationConfigRequest{}, response: &a2apb.TaskPushNotificationConfig{}},
		{name: "ListTaskPushNotificationConfigs", request: &a2apb.ListTaskPushNotificationConfigsRequest{}, response: &a2apb.ListTaskPushNotificationConfigsResponse{}},
		{name: "DeleteTaskPushNotificationConfig", request: &a2apb.DeleteTaskPushNotificationConfigRequest{}, response: &emptypb.Empty{}},
		{name: "GetExtendedAgentCard", request: &a2apb.GetExtendedAgentCardRequest{}, response: &a2apb.AgentCard{}},
	} {
		table[m.name] = m
	}
	return table
}()

// lenient reads JSON with either name of a field, and ignores fields of newer versions (A2A §3.7).
var lenient = protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}

// decode reads a request of a method. Empty input is an empty request.
func (m *method) decode(raw []byte) (proto.Message, error) {
	req := m.request.ProtoReflect().New().Interface()
	if len(raw) == 0 {
		return req, nil
	}
	err := bounded.JSON(raw)
	if err == nil {
		err = lenient.Unmarshal(raw, req)
	}
	if err != nil {
		return nil, invalidParams("", "the request is not a %s: %s", m.request.ProtoReflect().Descriptor().Name(), apijson.ProblemIn(raw, err))
	}
	if list, ok := req.(*a2apb.ListTasksRequest); ok && list.GetStatus() == a2apb.TaskState_TASK_STATE_UNSPECIFIED {
		return req, checkState(raw)
	}
	return req, nil
}

// checkState refuses an unknown state. To ignore it, like a field of a newer version, would select all tasks.
func checkState(raw []byte) error {
	var filter struct {
		Status any `json:"status"`
	}
	if err := json.Unmarshal(raw, &filter); err != nil {
		return invalidParams("", "the request is not a ListTasksRequest: %s", err)
	}
	name, ok := filter.Status.(string)
	if _, known := a2apb.TaskState_value[name]; ok && !known {
		return invalidParams("status", "there is no task state %.100q", name)
	}
	return nil
}

// encode writes an answer. In a list all fields are required, even when empty (A2A §3.1.4), but only there: a task without artifacts must have none.
func encode(m proto.Message) ([]byte, error) {
	list, ok := m.(*a2apb.ListTasksResponse)
	if !ok {
		return protojson.Marshal(m)
	}
	tasks := make([]json.RawMessage, len(list.GetTasks()))
	for i, t := range list.GetTasks() {
		raw, err := protojson.Marshal(t)
		if err != nil {
			return nil, err
		}
		tasks[i] = raw
	}
	return json.Marshal(struct {
		Tasks         []json.RawMessage `json:"tasks"`
		NextPageToken string            `json:"nextPageToken"`
		PageSize      int32             `json:"pageSize"`
		TotalSize     int32             `json:"totalSize"`
	}{tasks, list.GetNextPageToken(), list.GetPageSize(), list.GetTotalSize()})
}

// setAgent sets the agent of the base URL in the request.
func setAgent(req proto.Message, agent string) error {
	switch {
	case agent == "":
		return nil
	case !utf8.ValidString(agent): // which no protobuf string can hold
		return invalidParams("tenant", "the agent of this URL, %q, is not UTF-8", fault.Clip(agent))
	}
	m := req.ProtoReflect()
	field := m.Descriptor().Fields().ByName("tenant")
	if given := m.Get(field).String(); given != "" && given != agent {
		return invalidParams("tenant", "the tenant %q is not the agent of this URL, %q", fault.Clip(given), fault.Clip(agent))
	}
	m.Set(field, protoreflect.ValueOfString(agent))
	return nil
}
