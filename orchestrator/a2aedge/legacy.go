package a2aedge

import (
	"strings"

	old "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator/legacy"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// LegacyVersion is the older version of A2A that is served too, over JSON-RPC only. Its clients send no version.
const LegacyVersion = legacy.Version

// legacyMethods maps the JSON-RPC methods of A2A 0.3 (§7 there) to operations of 1.0. Push notifications are sent in the form of 1.0 only, so their
// receivers cannot be set in 0.3.
var legacyMethods = map[string]operation{
	"message/send":                        {methods["SendMessage"], readLegacy(sendFromLegacy, methods["SendMessage"]), legacyEvent},
	"message/stream":                      {methods["SendStreamingMessage"], readLegacy(sendFromLegacy, methods["SendStreamingMessage"]), legacyEvent},
	"tasks/get":                           {methods["GetTask"], readLegacy(infallible(a2av0.ToV1GetTaskRequest), methods["GetTask"]), legacyEvent},
	"tasks/cancel":                        {methods["CancelTask"], readLegacy(infallible(a2av0.ToV1CancelTaskRequest), methods["CancelTask"]), legacyEvent},
	"tasks/resubscribe":                   {methods["SubscribeToTask"], readLegacy(infallible(a2av0.ToV1SubscribeToTaskRequest), methods["SubscribeToTask"]), legacyEvent},
	"tasks/pushNotificationConfig/set":    {methods["CreateTaskPushNotificationConfig"], noPushInLegacy, legacyEvent},
	"tasks/pushNotificationConfig/get":    {methods["GetTaskPushNotificationConfig"], noPushInLegacy, legacyEvent},
	"tasks/pushNotificationConfig/list":   {methods["ListTaskPushNotificationConfigs"], noPushInLegacy, legacyEvent},
	"tasks/pushNotificationConfig/delete": {methods["DeleteTaskPushNotificationConfig"], noPushInLegacy, legacyEvent},
	"agent/getAuthenticatedExtendedCard":  {methods["GetExtendedAgentCard"], func([]byte) (proto.Message, error) { return &a2apb.GetExtendedAgentCardRequest{}, nil }, legacyEvent},
}

// legacyEvent encodes an answer, or an event of a stream, in the form of 0.3. Clients hang up after an update that is final, so among those of a task
// that waits only the one with which the stream ends is. Agents whose calls pass end their streams with the first.
func legacyEvent(answer proto.Message) ([]byte, error) {
	r, _ := answer.(*a2apb.StreamResponse)
	said, tracked := r.GetStatusUpdate().GetMetadata().GetFields()[TaskExtension]
	return legacy.Event(answer, !tracked || said.GetStructValue().GetFields()[fieldWaitsFor] != nil)
}

// isLegacy reports whether a version is 0.3, which an empty one stands for (A2A §3.6.2).
func isLegacy(version string) bool {
	return version == "" || version == LegacyVersion || strings.HasPrefix(version, LegacyVersion+".")
}

// readLegacy returns a decoder for the params of 0.3 that uses a2a-go's types of both versions; it returns the request of m.
func readLegacy[Old, New any](modern func(*Old) (New, error), m *method) func([]byte) (proto.Message, error) {
	return func(params []byte) (proto.Message, error) {
		if _, ok := value(params, space(params, 0)); !ok { // as decoding 1.0 does
			return nil, invalidParams("params", "the params have lists and objects more than %d deep in one another", maxDepth)
		}
		if err := bounded.JSON(params); err != nil {
			return nil, invalidParams("params", "the params are not those of A2A %s: %s", LegacyVersion, err)
		}
		var said Old
		if err := legacy.Decode(params, &said); err != nil {
			return nil, invalidParams("params", "the params are not those of A2A %s: %s", LegacyVersion, fault.InWordsOfJSON(err))
		}
		request, err := modern(&said)
		if err != nil {
			return nil, err
		}
		message := m.request.ProtoReflect().New().Interface()
		if err := legacy.Encode(request, message); err != nil {
			return nil, translationError(err)
		}
		return message, nil
	}
}

func translationError(err error) error {
	return invalidParams("params", "the params have no form in A2A %s: %s", Version, err)
}

// infallible adapts a conversion that cannot fail.
func infallible[Old, New any](convert func(*Old) New) func(*Old) (New, error) {
	return func(old *Old) (New, error) { return convert(old), nil }
}

func sendFromLegacy(p *old.MessageSendParams) (*a2a.SendMessageRequest, error) {
	switch {
	case p.Message == nil:
		return nil, invalidParams("params.message", "there is no message")
	case p.Config != nil && p.Config.PushConfig != nil:
		_, err := noPushInLegacy(nil)
		return nil, err
	}
	req, err := a2av0.ToV1SendMessageRequest(p)
	if err != nil {
		return nil, translationError(err)
	}
	return req, nil
}

func noPushInLegacy([]byte) (proto.Message, error) {
	return nil, refusal(reasonPushNotSupported, "push notifications are not supported in A2A %s; name their receiver in A2A %s, in whose form they are sent", LegacyVersion, Version)
}
