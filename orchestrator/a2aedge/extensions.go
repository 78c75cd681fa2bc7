package a2aedge

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	"github.com/quorate/quorate/registry/agentcard"
)

// Bounds of what a call requests; an extension is a URI.
const (
	maxExtensions = 24
	maxExtension  = 256 // bytes
)

// ownExtensions are the extensions that Quorate itself serves.
var ownExtensions = []string{TaskExtension, consultation.ExtensionURI, agentcard.ContractExtension}

// addExtensions adds the extensions that a call requests to those of its message, with which they are stored: each call to the agent about the task
// requests them.
func addExtensions(ctx context.Context, m *a2apb.Message) error {
	list := requestedBy(ctx)
	if len(list) > maxExtensions || slices.ContainsFunc(list, func(uri string) bool { return len(uri) > maxExtension }) {
		return fault.Invalid(paramExtensions, "EXTENSIONS_INVALID", "a call requests at most %d extensions, by URIs of at most %d bytes", maxExtensions, maxExtension)
	}
	for _, uri := range list {
		if !slices.Contains(m.GetExtensions(), uri) && !slices.Contains(ownExtensions, uri) {
			m.Extensions = append(m.GetExtensions(), uri)
		}
	}
	return nil
}

// checkExtensions refuses a task for a named agent whose card requires an extension that the message does not request (A2A §3.3.4): the agent would
// refuse it. Who names no agent cannot know its card.
func (s *Service) checkExtensions(ctx context.Context, tenant string, task *orchestratorv1.SubmitTaskRequest) error {
	name := task.GetRoute().GetAgent()
	if name == "" {
		return nil
	}
	if err := s.directory.Refresh(ctx, tenant); err != nil {
		return err
	}
	a, _, ok := s.directory.Peek(tenant, name)
	if !ok { // the engine says so
		return nil
	}
	for _, x := range a.Card.Extensions {
		if x.Required && !slices.Contains(task.GetMessage().GetExtensions(), x.URI) && !slices.Contains(ownExtensions, x.URI) {
			return refusal(reasonExtension, "agent %q requires the extension %s; name it in A2A-Extensions or in the message's extensions", name, x.URI)
		}
	}
	return nil
}

// withExtensions returns the context of a call as that of the call to the agent to which it passes.
func withExtensions(ctx context.Context) context.Context {
	return agentclient.WithExtensions(ctx, requestedBy(ctx))
}

func requestedBy(ctx context.Context) []string {
	return splitList(metadata.ValueFromIncomingContext(ctx, paramExtensions))
}

// requestedIn returns the extensions that an HTTP request names, in 1.0 or in 0.3.
func requestedIn(h http.Header) []string {
	return splitList(slices.Concat(h.Values("A2A-Extensions"), h.Values("X-A2A-Extensions")))
}

// splitList returns the items of comma-separated lists.
func splitList(values []string) (items []string) {
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
	}
	return items
}

// extensionsOf returns the extensions on an agent's card that its callers can use through Quorate.
func extensionsOf(card *agentcard.Card) (list []*a2apb.AgentExtension) {
	for _, x := range card.Extensions {
		if slices.Contains(ownExtensions, x.URI) {
			continue
		}
		params, err := structpb.NewStruct(x.Params)
		if err != nil || len(x.Params) == 0 {
			params = nil // they came as JSON, so there is no error
		}
		list = append(list, &a2apb.AgentExtension{Uri: x.URI, Required: x.Required, Params: params})
	}
	return list
}
