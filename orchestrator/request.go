package orchestrator

import (
	"maps"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
)

// RequestKey is the key in a message's metadata under which a task keeps what an A2A request says beside its message (A2A §3.2.1): {"metadata": {…},
// "acceptedOutputModes": […]}. It is stored, reviewed and bounded with the message, and sent beside it again.
const RequestKey = "https://github.com/quorate/quorate/extensions/request/v1"

// The fields under RequestKey.
const (
	requestMetadata = "metadata"
	requestModes    = "acceptedOutputModes"
)

// MaxOutputModes bounds how many media types a request accepts.
const MaxOutputModes = 64

// EmbedRequest returns the message of a request with what the request says beside it under RequestKey, or the message itself if that is nothing. The
// result is an InvalidArgument fault with the reason REQUEST_FIELDS_DUPLICATE if the message has something under the key already.
func EmbedRequest(req *a2apb.SendMessageRequest) (*a2apb.Message, error) {
	word, m := rest{}, req.GetMessage()
	word.object(requestMetadata, withoutReservedKeys(req.GetMetadata()))
	word.list(requestModes, req.GetConfiguration().GetAcceptedOutputModes())
	if len(word) == 0 || m == nil {
		return m, nil
	}
	if _, twice := m.GetMetadata().GetFields()[RequestKey]; twice {
		return nil, fault.Invalid("message.metadata", "REQUEST_FIELDS_DUPLICATE",
			"the request has metadata or accepted output modes, and the message has others under %s; leave those in the message out", RequestKey)
	}
	return withRequestFields(m, word), nil
}

// CheckRequest refuses a message that has something else under RequestKey than what a request can say.
func CheckRequest(m *a2apb.Message) error {
	word, ok := m.GetMetadata().GetFields()[RequestKey]
	if !ok {
		return nil
	}
	if fields := word.GetStructValue().GetFields(); word.GetStructValue() != nil && knownRequestFields(fields) && len(fields[requestModes].GetListValue().GetValues()) <= MaxOutputModes {
		return nil
	}
	return fault.Invalid("message.metadata", "REQUEST_FIELDS_INVALID",
		"what stands under %s is not {%q: {…}, %q: […]} with at most %d texts in the list", RequestKey, requestMetadata, requestModes, MaxOutputModes)
}

// knownRequestFields reports whether fields are those under RequestKey, in their form.
func knownRequestFields(fields map[string]*structpb.Value) bool {
	for key, value := range fields {
		switch key {
		case requestMetadata:
			if value.GetStructValue() == nil {
				return false
			}
		case requestModes:
			if value.GetListValue() == nil {
				return false
			}
			for _, mode := range value.GetListValue().GetValues() {
				if _, text := mode.GetKind().(*structpb.Value_StringValue); !text {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// ExtractRequest returns the request by which an agent gets a message: EmbedRequest undone. Metadata under the keys that Quorate sets in messages is
// left out, so that only Quorate can send a consultation.
func ExtractRequest(m *a2apb.Message) *a2apb.SendMessageRequest {
	fields := m.GetMetadata().GetFields()[RequestKey].GetStructValue().GetFields()
	req := &a2apb.SendMessageRequest{Message: WithoutRequest(m)}
	if said := withoutReservedKeys(fields[requestMetadata].GetStructValue()); len(said.GetFields()) > 0 {
		req.Metadata = said
	}
	var modes []string
	for _, mode := range fields[requestModes].GetListValue().GetValues() {
		modes = append(modes, mode.GetStringValue())
	}
	if len(modes) > 0 {
		req.Configuration = &a2apb.SendMessageConfiguration{AcceptedOutputModes: modes}
	}
	return req
}

// WithoutRequest returns the message as its sender wrote it, without RequestKey.
func WithoutRequest(m *a2apb.Message) *a2apb.Message {
	if _, ok := m.GetMetadata().GetFields()[RequestKey]; !ok {
		return m
	}
	return withRequestFields(m, nil)
}

// WithoutModes returns a message that accepts output of any type.
func WithoutModes(m *a2apb.Message) *a2apb.Message {
	word := maps.Clone(m.GetMetadata().GetFields()[RequestKey].GetStructValue().GetFields())
	if word[requestModes] == nil {
		return m
	}
	delete(word, requestModes)
	return withRequestFields(m, word)
}

// withRequestFields returns a copy of a message with these fields under RequestKey; none stands for no key.
func withRequestFields(m *a2apb.Message, word map[string]*structpb.Value) *a2apb.Message {
	own, fields := CopyMessage(m), maps.Clone(m.GetMetadata().GetFields())
	if fields == nil {
		fields = make(map[string]*structpb.Value)
	}
	delete(fields, RequestKey)
	if len(word) > 0 {
		fields[RequestKey] = structpb.NewStructValue(&structpb.Struct{Fields: word})
	}
	own.Metadata = nil
	if len(fields) > 0 {
		own.Metadata = &structpb.Struct{Fields: fields}
	}
	return own
}
