package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"regexp"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// apply applies one agent, which is described at a place.
func (p *applier) apply(ctx context.Context, at string, document []byte) error {
	request, err := applicationIn(document)
	if err != nil {
		return err
	}
	if err := p.once(namedIn(request), at); err != nil {
		return err
	}
	request.RequestId, request.ValidateOnly = requestID(request.GetRequestId()), p.check
	response := &registryv1.ApplyAgentResponse{}
	if err := p.session.postOnce(ctx, "/v1/agents:apply", request, response); err != nil {
		return err
	}
	name := response.GetAgent().GetName()
	if err := p.once(name, at); err != nil {
		return err
	}
	p.outcomes[response.GetOutcome()]++
	for _, w := range response.GetWarnings() {
		p.err.line("warning: %s: %s: %s (%s)", name, w.GetField(), w.GetMessage(), w.GetCode())
	}
	if p.json {
		return p.jsonLine(response)
	}
	p.out.line("%s %s", response.GetOutcome(), name)
	if p.check && response.GetOutcome() == "replaced" {
		return p.showChanges(ctx, response.GetAgent())
	}
	return nil
}

// applicationIn reads how a document describes an agent. What has the capabilities or the skills of a card is one.
func applicationIn(document []byte) (*registryv1.ApplyAgentRequest, error) {
	var card struct {
		Capabilities, Skills json.RawMessage
	}
	if json.Unmarshal(document, &card) == nil && (card.Capabilities != nil || card.Skills != nil) {
		return &registryv1.ApplyAgentRequest{Source: &registryv1.ApplyAgentRequest_CardJson{CardJson: string(document)}}, nil
	}
	request := &registryv1.ApplyAgentRequest{}
	if err := protojson.Unmarshal(document, request); err != nil {
		text := apijson.Problem(err)
		if !bytes.Contains(document, []byte("\n")) { // YAML has become one line, in which nobody finds a place
			text = place.ReplaceAllString(text, "")
		}
		return nil, fault.New(fault.InvalidArgument, "INPUT_INVALID", "%s", text)
	}
	return request, nil
}

// place matches where protojson found an error.
var place = regexp.MustCompile(`^\(line \d+:\d+\): `)

// namedIn returns the name that an agent gets, or nothing if only the server can know it.
func namedIn(request *registryv1.ApplyAgentRequest) string {
	var card struct{ Name string }
	_ = json.Unmarshal([]byte(request.GetCardJson()), &card) // the server says what is wrong with it
	return cmp.Or(request.GetName(), stringIn(request.GetCard(), "name"), card.Name)
}

// once refuses a second description of an agent, since the two would replace each other each time. An empty name is not known yet.
func (p *applier) once(name, at string) error {
	if name == "" {
		return nil
	}
	if earlier := p.from[name]; earlier != "" && earlier != at {
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "agent %q is already described in %s; remove one of the two", name, earlier)
	}
	p.from[name] = at
	return nil
}

// showChanges prints what an agent would have in place of what it has.
func (p *applier) showChanges(ctx context.Context, next *registryv1.Agent) error {
	present := &registryv1.Agent{}
	if err := p.session.get(ctx, agentPath(next.GetName()), nil, present); err != nil {
		return err
	}
	changes, err := changesBetween(present, next)
	for _, change := range changes {
		p.out.line("  %s", change)
	}
	return err
}
