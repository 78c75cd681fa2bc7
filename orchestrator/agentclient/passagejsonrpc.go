package agentclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/quorate/quorate/registry/agentcard"
)

// JSONRPCPassage passes requests on to an agent over JSON-RPC.
type JSONRPCPassage struct {
	Tenant string // that requests must name; empty: none
	caller caller
	plain  *plainHTTP
}

// PassageOverJSONRPC returns the passage to an agent over JSON-RPC, or nil when the agent does not offer JSON-RPC.
func (p *Pool) PassageOverJSONRPC(name string, card *agentcard.Card) *JSONRPCPassage {
	in := interfaceFor(card, agentcard.BindingJSONRPC)
	if in == nil {
		return nil
	}
	return &JSONRPCPassage{Tenant: in.Tenant, caller: caller{at: p.endpoint(name, in, card), client: p.plain, intake: p.intake}, plain: p.plain}
}

// Post sends a request and returns the answer, whatever its status. The caller closes the body.
func (p *JSONRPCPassage) Post(ctx context.Context, body []byte, accept string) (*http.Response, error) {
	url := p.caller.at.url
	if s := p.plain.sites.of(url, accept); s != nil && p.plain.takes(s, body) && requested(ctx) == extensions {
		resp, err := p.plain.post(ctx, s, body)
		if err != nil {
			return nil, unreachable(&p.caller.at, err)
		}
		return resp, nil
	}
	return p.caller.do(ctx, http.MethodPost, url, body, accept)
}

// ReadAnswer reads the whole answer to Post, within bounds. An answer that is not JSON-RPC is a fault.
func (p *JSONRPCPassage) ReadAnswer(ctx context.Context, resp *http.Response) ([]byte, error) {
	body, place, err := p.caller.read(ctx, resp)
	if err != nil {
		return nil, err
	}
	place.leave() // the answer is written as it is
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode >= http.StatusInternalServerError,
		!succeeded(resp) && !isResponse(body): // of a gateway, a rate limit or a wrong URL, for example
		return nil, fromHTTP(&p.caller.at, resp, string(body))
	case !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")):
		return nil, invalid(&p.caller.at, "no JSON-RPC response")
	}
	return body, nil
}

// isResponse reports whether a body is a JSON-RPC response.
func isResponse(body []byte) bool {
	var r struct {
		Result, Error json.RawMessage
	}
	return json.Unmarshal(body, &r) == nil && (r.Result != nil || r.Error != nil)
}

// UnreadableAnswer returns the fault for an answer to Post whose body could not be read to its end.
func (p *JSONRPCPassage) UnreadableAnswer(err error) error { return unreachable(&p.caller.at, err) }
