package a2aedge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	legacy "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1/pbconv"
	"google.golang.org/protobuf/proto"
)

// LegacyVersion is the older version of A2A that is served too, over JSON-RPC only. Its clients send no version.
const LegacyVersion = "0.3"

// legacyMethods maps the JSON-RPC methods of A2A 0.3 (§7 there) to operations of 1.0. Push notifications are sent in the form of 1.0 only, so their
// receivers cannot be set in 0.3.
var legacyMethods = map[string]operation{
	"message/send":                        {methods["SendMessage"], readLegacy(sendFromLegacy, pbconv.ToProtoSendMessageRequest), writeLegacy},
	"message/stream":                      {methods["SendStreamingMessage"], readLegacy(sendFromLegacy, pbconv.ToProtoSendMessageRequest), writeLegacy},
	"tasks/get":                           {methods["GetTask"], readLegacy(certain(a2av0.ToV1GetTaskRequest), pbconv.ToProtoGetTaskRequest), writeLegacy},
	"tasks/cancel":                        {methods["CancelTask"], readLegacy(certain(a2av0.ToV1CancelTaskRequest), pbconv.ToProtoCancelTaskRequest), writeLegacy},
	"tasks/resubscribe":                   {methods["SubscribeToTask"], readLegacy(certain(a2av0.ToV1SubscribeToTaskRequest), pbconv.ToProtoSubscribeToTaskRequest), writeLegacy},
	"tasks/pushNotificationConfig/set":    {methods["CreateTaskPushNotificationConfig"], noPushInLegacy, writeLegacy},
	"tasks/pushNotificationConfig/get":    {methods["GetTaskPushNotificationConfig"], noPushInLegacy, writeLegacy},
	"tasks/pushNotificationConfig/list":   {methods["ListTaskPushNotificationConfigs"], noPushInLegacy, writeLegacy},
	"tasks/pushNotificationConfig/delete": {methods["DeleteTaskPushNotificationConfig"], noPushInLegacy, writeLegacy},
	"agent/getAuthenticatedExtendedCard":  {methods["GetExtendedAgentCard"], func([]byte) (proto.Message, error) { return &a2apb.GetExtendedAgentCardRequest{}, nil }, writeLegacy},
}

// isLegacy reports whether a version is 0.3, which an empty one stands for (A2A §3.6.2).
func isLegacy(version string) bool {
	return version == "" || version == LegacyVersion || strings.HasPrefix(version, LegacyVersion+".")
}

// readLegacy returns a decoder for the params of 0.3 that uses a2a-go's types of both versions.
func readLegacy[Old, New any, Request proto.Message](modern func(*Old) (New, error), encoded func(New) (Request, error)) func([]byte) (proto.Message, error) {
	return func(params []byte) (proto.Message, error) {
		if err := checkDepth(params); err != nil {
			return nil, err
		}
		var old Old
		if err := json.Unmarshal(params, &old); err != nil {
			return nil, invalidParams("params", "the params are not those of A2A %s: %s", LegacyVersion, err)
		}
		request, err := modern(&old)
		if err != nil {
			return nil, err
		}
		message, err := encoded(request)
		if err != nil {
			return nil, notModern(err)
		}
		return message, nil
	}
}

func notModern(err error) error {
	return invalidParams("params", "the params have no form in A2A %s: %s", Version, err)
}

// certain adapts a conversion that cannot fail.
func certain[Old, New any](convert func(*Old) New) func(*Old) (New, error) {
	return func(old *Old) (New, error) { return convert(old), nil }
}

func sendFromLegacy(p *legacy.MessageSendParams) (*a2a.SendMessageRequest, error) {
	switch {
	case p.Message == nil:
		return nil, invalidParams("params.message", "there is no message")
	case p.Config != nil && p.Config.PushConfig != nil:
		_, err := noPushInLegacy(nil)
		return nil, err
	}
	req, err := a2av0.ToV1SendMessageRequest(p)
	if err != nil {
		return nil, notModern(err)
	}
	return req, nil
}

func noPushInLegacy([]byte) (proto.Message, error) {
	return nil, EditionNewest.refusal(reasonPushNotSupported, "push notifications are sent in the form of A2A %s only; name their receiver in that version", Version)
}

// checkDepth bounds the nesting of lists and objects, as decoding 1.0 does.
func checkDepth(params []byte) error {
	d := json.NewDecoder(bytes.NewReader(params))
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return invalidParams("params", "the params cannot be read: %s", err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return invalidParams("params", "the params have lists and objects more than %d deep in one another", maxDepth)
		}
	}
}

// writeLegacy encodes an answer in the form of 0.3.
func writeLegacy(answer proto.Message) ([]byte, error) {
	event, err := eventOf(answer)
	if err != nil {
		return nil, err
	}
	old, err := a2av0.FromV1Event(event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(old)
}

// eventOf returns an answer as a2a-go's type.
func eventOf(answer proto.Message) (a2a.Event, error) {
	switch x := answer.(type) {
	case *a2apb.Task:
		return pbconv.FromProtoTask(x)
	case *a2apb.SendMessageResponse:
		return pbconv.FromProtoSendMessageResponse(x)
	case *a2apb.StreamResponse:
		return pbconv.FromProtoStreamResponse(x)
	default:
		return nil, fmt.Errorf("a %T has no form in A2A %s", answer, LegacyVersion)
	}
}
