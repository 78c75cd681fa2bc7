package restclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// MaxAnswerBytes is the longest response, and the longest event of a stream, that a Client reads.
const MaxAnswerBytes = 64 << 20

// callTimeout ends a call whose context has no earlier deadline. No call of the API waits for an agent's work; for calls that may take longer there is Within.
const callTimeout = time.Minute

// Client calls one Quorate server. It is safe for concurrent use.
type Client struct {
	base    string
	token   auth.Secret
	http    *http.Client
	timeout time.Duration // of a call
}

// New returns a client for the server at baseURL, an http or https URL without query and user. With an empty token it sends none.
//
// With a nil hc the client has an HTTP client of its own. A Timeout in hc would also end streams. Errors are InvalidArgument
// faults with the reasons SERVER_URL_INVALID and TOKEN_INVALID.
func New(baseURL string, token auth.Secret, hc *http.Client) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.Invalid("server", "SERVER_URL_INVALID", "the server URL must look like http://127.0.0.1:8080, without user, query and fragment")
	}
	if strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fault.Invalid("token", "TOKEN_INVALID", "the token holds a space, a line break or a character outside ASCII")
	}
	var own http.Client
	if hc != nil {
		own = *hc
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: strings.TrimSuffix(u.String(), "/"), token: token, http: &own, timeout: callTimeout}, nil
}

// TokenInClear reports whether the client sends a token to another machine without encryption, where it can be read on the way.
func (c *Client) TokenInClear() bool {
	return c.token != "" && !netguard.IsPrivateURL(c.base)
}

// Within returns a client for the same server whose calls take at most limit instead of a minute. It is for fetching a web page, which other servers delay.
func (c *Client) Within(limit time.Duration) *Client {
	other := *c
	other.timeout = limit
	return &other
}

// Call sends in, if it is not nil, as the JSON body of one request, and reads the response into out, if that is not nil.
//
// The path must be escaped and start with a slash. Unknown fields of the response are ignored, so that an old client
// understands a newer server. Errors are faults: those of the server, SERVER_UNREACHABLE, UNEXPECTED_ANSWER and
// ANSWER_TOO_LARGE. A call takes at most one minute, or the limit of Within.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, in, out proto.Message) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.send(ctx, method, path, query, in, "application/json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := c.read(ctx, answer.Body)
	if err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, out); err != nil {
		return c.unexpected(answer, err)
	}
	return nil
}

// send returns a response with a 2xx status; any other is an error. The caller closes the body.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, in proto.Message, accept string) (*http.Response, error) {
	request, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if answer.StatusCode >= http.StatusOK && answer.StatusCode < http.StatusMultipleChoices {
		return answer, nil
	}
	defer answer.Body.Close()
	body, err := c.read(ctx, answer.Body)
	if err != nil {
		return nil, err
	}
	if err := decodeStatus(body); err != nil {
		return nil, err
	}
	return nil, c.unexpected(answer, nil)
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in proto.Message) (*http.Request, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var body io.Reader
	if in != nil {
		content, err := protojson.Marshal(in)
		if err != nil {
			return nil, fault.New(fault.InvalidArgument, "REQUEST_INVALID", "the request cannot be sent: %s", apijson.Problem(err))
		}
		body = bytes.NewReader(content)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fmt.Errorf("making the request of %s %s: %w", method, path, err)
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	return request, nil
}

func (c *Client) read(ctx context.Context, from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, MaxAnswerBytes+1))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if len(body) > MaxAnswerBytes {
		return nil, tooLarge()
	}
	return body, nil
}

func tooLarge() error {
	return fault.New(fault.ResourceExhausted, "ANSWER_TOO_LARGE", "the answer is longer than %d MiB; ask for smaller pages", MaxAnswerBytes>>20)
}

// unreachable returns the error for a failed connection or an ended context. It drops the method and URL that net/http puts
// before the cause, since the message names the server already.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ended := c.ended(ctx); ended != nil {
		return ended
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return fault.New(fault.Unavailable, "SERVER_UNREACHABLE", "no connection to Quorate at %s: %w; check that it runs there and that the address is right", c.base, err).With("server", c.base)
}

// ended returns the error for a call whose context has ended, or nil.
func (c *Client) ended(ctx context.Context) error {
	switch {
	case errors.Is(context.Cause(ctx), errSilence):
		return errSilence
	case ctx.Err() != nil:
		return fmt.Errorf("calling %s: %w", c.base, ctx.Err())
	default:
		return nil
	}
}
