package a2aedge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/rpcserver"
)

// retargetParams reads what the params of a method say about the call, and returns a function that returns them with another tenant, or without one.
func retargetParams(m *method, params []byte) (at callTarget, aimed func(tenant string) []byte, ok bool) {
	task, other := m.taskNames()
	var kept [][]byte
	messages := 0
	ok = members(params, func(x member) bool {
		switch string(x.name) {
		case "tenant":
			return json.Unmarshal(x.value, &at.agent) == nil
		case task, other:
			if json.Unmarshal(x.value, &at.task) != nil {
				return false
			}
		case "message":
			if messages++; messages > 1 || !members(x.value, at.read) {
				return false
			}
		default:
			if bytes.EqualFold(x.name, []byte("tenant")) { // for agents that ignore case
				return false
			}
		}
		kept = append(kept, x.whole)
		return true
	})
	return at, func(tenant string) []byte {
		if tenant != "" {
			name, err := json.Marshal(tenant)
			if err != nil {
				name = []byte(`""`) // a string can always be encoded
			}
			kept = append(kept, slices.Concat([]byte(`"tenant":`), name))
		}
		return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}"))
	}, ok
}

// read notes what a member of a message says about the call. It reports whether the call may still pass.
func (at *callTarget) read(x member) bool {
	switch string(x.name) {
	case "taskId", "task_id":
		return json.Unmarshal(x.value, &at.task) == nil
	case "metadata":
		return !hasEscapedKey(x.value)
	default:
		return true
	}
}

// hasEscapedKey reports whether metadata may have Quorate's key in a form with escapes, which a search of the bytes does not find; some encoders
// escape every slash.
func hasEscapedKey(metadata []byte) bool {
	if bytes.IndexByte(metadata, '\\') < 0 {
		return false
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(metadata, &fields)
	return err != nil || fields[TaskExtension] != nil
}

// passingRequest is a request that may pass to its agent.
type passingRequest struct {
	id     json.RawMessage
	method *method
	at     callTarget
	aimed  func(tenant string) []byte // its params with another tenant
}

// readPassing reads a request to the base URL of an agent without decoding it. ok is false when the request has to go the ordinary way.
func readPassing(agent string, body []byte) (x passingRequest, ok bool) {
	e, ok := envelopeOf(body)
	m := methods[e.Method]
	if !ok || m == nil || !slices.Contains(passing, m.name) {
		return x, false
	}
	at, aimed, ok := retargetParams(m, e.Params)
	if !ok || at.agent != "" && at.agent != agent {
		return x, false
	}
	at.agent = agent
	return passingRequest{e.ID, m, at, aimed}, true
}

// pass sends a JSON-RPC request to the agent of the base URL unchanged, and reports whether it did. A request that has to be tracked, or whose agent
// does not speak JSON-RPC, goes the ordinary way. The envelope is written anew, so that the agent cannot read another method in it than Quorate did.
func (h *Handler) pass(ctx context.Context, w http.ResponseWriter, r *http.Request, agent string, body []byte) bool {
	if !h.Service.passages.enabled(agent) {
		return false
	}
	x, ok := readPassing(agent, body)
	if !ok {
		return false
	}
	passed, err := h.passAdmitted(ctx, w, r, x, body)
	if err != nil {
		refuseJSONRPC(w, x.id, passageError(err))
	}
	return passed || err != nil
}

// passAdmitted passes a request on, unless it has to go the ordinary way. When it returns an error, nothing was written.
func (h *Handler) passAdmitted(ctx context.Context, w http.ResponseWriter, r *http.Request, x passingRequest, body []byte) (passed bool, err error) {
	if ctx, err = h.Gate.Admit(ctx, r.Header, x.method.path()); err != nil {
		return false, err
	}
	way, err := h.Service.jsonrpcPassage(ctx, x.at, body)
	if way == nil || err != nil {
		return false, err
	}
	if err := checkVersion(versionOf(r)); err != nil {
		return false, err
	}
	return true, h.forward(ctx, w, r.Header, way, x)
}

// jsonrpcPassage returns the passage for a call, or nil when the call is tracked or its agent does not speak JSON-RPC.
func (s *Service) jsonrpcPassage(ctx context.Context, at callTarget, request []byte) (*agentclient.JSONRPCPassage, error) {
	a, err := s.passableAgent(ctx, at, request)
	if a == nil || err != nil {
		return nil, err
	}
	return s.passages.Pool.PassageOverJSONRPC(a.Name, &a.Card), nil
}

// forward sends the request and writes the answer unchanged. When it returns an error, nothing was written.
func (h *Handler) forward(ctx context.Context, w http.ResponseWriter, from http.Header, way *agentclient.JSONRPCPassage, x passingRequest) error {
	leave, err := h.Gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	accept := jsonMIME
	var stop func()
	if x.method.stream {
		accept = "text/event-stream"
		ctx, stop = h.Gate.WhileAdmitted(ctx, from, x.method.path())
	} else {
		ctx, stop = rpcserver.UntilCutOff(ctx)
	}
	defer stop()
	body := slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), x.id, []byte(`,"method":"`+x.method.name+`","params":`), x.aimed(way.Tenant), []byte("}"))
	resp, err := way.Post(agentclient.WithExtensions(ctx, requestedIn(from)), body, accept)
	if err != nil {
		return rpcserver.WhyEnded(ctx, err)
	}
	defer resp.Body.Close()
	if x.method.stream && agentclient.IsEventStream(resp) {
		relay(ctx, w, way, resp.Body, x.id)
		return nil
	}
	answer, err := way.ReadAnswer(ctx, resp)
	if err != nil {
		return rpcserver.WhyEnded(ctx, err)
	}
	write(w, http.StatusOK, jsonMIME, answer)
	return nil
}

// relay copies an agent's stream and, if it breaks, ends it with the error.
func relay(ctx context.Context, w http.ResponseWriter, way *agentclient.JSONRPCPassage, from io.Reader, id json.RawMessage) {
	e := newEventWriter(w)
	if e.begin() != nil {
		return // the client is gone
	}
	err := e.relay(from)
	if err == nil {
		return
	}
	if ctx.Err() == nil {
		err = way.UnreadableAnswer(err)
	}
	form := &jsonrpcForm{id: id}
	_ = e.sendFailure(form.failure(statusOf(rpcserver.WhyEnded(ctx, err)))) // the client is gone when it fails
}
