package agentclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/registry"
)

// Passage passes requests on to an agent, and its answers back, unchanged. Over gRPC both are Empty messages: their content is unknown fields and
// stays as it is.
type Passage struct {
	Tenant string // that requests must name; empty: none
	at     endpoint
	plain  *plainGRPC // over gRPC without TLS
	conn   *conn      // over gRPC with TLS
	http   *plainHTTP // over JSON-RPC
}

// PassageOverGRPC returns the passage to an agent over gRPC, or nil when the agent does not offer gRPC.
func (p *Pool) PassageOverGRPC(name string, card *registry.Card) (*Passage, error) {
	in := interfaceFor(card, BindingGRPC)
	if in == nil {
		return nil, nil //nolint:nilnil // to have none is valid
	}
	passage := &Passage{Tenant: in.Tenant, at: p.passageEndpoint(name, card, in)}
	if u := address(in.URL); u.Scheme == "http" && u.Port() != "" {
		passage.plain = p.plainGRPC(in.URL, u)
		return passage, nil
	}
	var err error
	if passage.conn, err = p.grpc(in.URL); err != nil {
		return nil, err
	}
	return passage, nil
}

// PassageOverJSONRPC returns the passage to an agent over JSON-RPC, or nil when the agent does not offer JSON-RPC.
func (p *Pool) PassageOverJSONRPC(name string, card *registry.Card) *Passage {
	in := interfaceFor(card, BindingJSONRPC)
	if in == nil {
		return nil
	}
	return &Passage{Tenant: in.Tenant, at: p.passageEndpoint(name, card, in), http: p.plain}
}

// HasPassage reports whether there is a passage to the agent with this card.
func HasPassage(card *registry.Card) bool {
	return interfaceFor(card, BindingGRPC) != nil || interfaceFor(card, BindingJSONRPC) != nil
}

// interfaceFor returns a card's interface for A2A 1 over a binding, or nil.
func interfaceFor(card *registry.Card, binding string) *registry.Interface {
	for i := range card.Interfaces {
		if in := &card.Interfaces[i]; in.Binding == binding && in.ProtocolVersion != "0.3" && speaks(*in) {
			return in
		}
	}
	return nil
}

func (p *Pool) passageEndpoint(name string, card *registry.Card, in *registry.Interface) endpoint {
	return endpoint{name: "agent " + name + " at " + in.URL, url: in.URL, credentials: p.credentials, security: card.Security}
}

// Invoke makes a unary call over gRPC.
func (p *Passage) Invoke(ctx context.Context, method string, req *emptypb.Empty) (*emptypb.Empty, error) {
	if p.plain != nil {
		resp, err := p.plain.invoke(ctx, method, req)
		return resp, p.passOn(ctx, err)
	}
	resp := &emptypb.Empty{}
	if err := p.conn.Invoke(ctx, method, req, resp); err != nil {
		return nil, p.passOn(ctx, err)
	}
	return resp, nil
}

// Stream makes a streaming call over gRPC. It calls opened when the agent has accepted the call and not sent anything yet.
func (p *Passage) Stream(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error {
	if p.plain != nil {
		own := false // the error was returned by each
		err := p.plain.stream(ctx, method, req, opened, func(resp *emptypb.Empty) error {
			err := each(resp)
			own = err != nil
			return err
		})
		if err == nil || own {
			return err
		}
		return p.passOn(ctx, err)
	}
	return p.streamTLS(ctx, method, req, opened, each)
}

func (p *Passage) streamTLS(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err == nil {
		err = s.SendMsg(req)
	}
	if err == nil {
		err = s.CloseSend()
	}
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF means that the stream broke, and RecvMsg says why
		return p.passOn(ctx, err)
	}
	if header, err := s.Header(); err == nil && header != nil { // without a header RecvMsg says why
		opened()
	}
	for {
		resp := &emptypb.Empty{}
		err := s.RecvMsg(resp)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return p.passOn(ctx, err)
		}
		if err := each(resp); err != nil {
			return err
		}
	}
}

// passOn returns an agent's error unchanged, except errors between the agent and Quorate: the agent is unreachable, or rejects Quorate's credential.
func (p *Passage) passOn(ctx context.Context, err error) error {
	switch st, ok := status.FromError(err); {
	case err == nil:
		return nil
	case !ok:
		return unreachable(&p.at, err)
	case st.Code() == codes.Unavailable, st.Code() == codes.Unauthenticated, st.Code() == codes.PermissionDenied:
		return fromGRPC(ctx, &p.at, err)
	default:
		return err
	}
}

// Post sends a JSON-RPC request and returns the answer, whatever its status. The caller closes the body.
func (p *Passage) Post(ctx context.Context, body []byte, accept string) (*http.Response, error) {
	if s := p.http.sites.of(p.at.url, accept); s != nil && p.http.takes(s, body) && requested(ctx) == extensions {
		resp, err := p.http.post(ctx, s, body)
		if err != nil {
			return nil, unreachable(&p.at, err)
		}
		return resp, nil
	}
	c := caller{at: p.at, client: p.http}
	return c.do(ctx, http.MethodPost, p.at.url, body, accept)
}

// ReadAnswer reads the whole answer to Post, within bounds. An answer that is not JSON-RPC is a fault.
func (p *Passage) ReadAnswer(resp *http.Response) ([]byte, error) {
	c := caller{at: p.at, client: p.http}
	body, err := c.read(resp)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode >= http.StatusInternalServerError:
		return nil, fromHTTP(&p.at, resp, string(body))
	case !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")):
		return nil, invalid(&p.at, "no JSON-RPC response")
	}
	return body, nil
}

// UnreadableAnswer returns the fault for an answer to Post whose body could not be read to its end.
func (p *Passage) UnreadableAnswer(err error) error { return unreachable(&p.at, err) }

// IsEventStream reports whether an answer is server-sent events.
func IsEventStream(resp *http.Response) bool { return isEventStream(resp) }
