package restclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// decodeStatus returns the fault in body, a google.rpc.Status in JSON, or nil if body is something else. Details of types
// that this client does not know are left out, so that errors of newer servers can be read.
func decodeStatus(body []byte) error {
	var wire struct {
		Code    int32             `json:"code"`
		Message string            `json:"message"`
		Details []json.RawMessage `json:"details"`
	}
	if err := json.Unmarshal(body, &wire); err != nil || wire.Code <= int32(codes.OK) || wire.Code > int32(codes.Unauthenticated) {
		return nil //nolint:nilerr // the caller handles bodies without a status
	}
	st := &spb.Status{Code: wire.Code, Message: wire.Message}
	for _, raw := range wire.Details {
		detail := &anypb.Any{}
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, detail); err == nil {
			st.Details = append(st.Details, detail)
		}
	}
	return rpcfault.FromStatus(status.FromProto(st).Err())
}

// unexpected returns the fault for a response that is not from Quorate's API but, for example, from a proxy or another program.
func (c *Client) unexpected(answer *http.Response, cause error) error {
	kind := fault.Internal
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized:
		kind = fault.Unauthenticated
	case code == http.StatusForbidden:
		kind = fault.PermissionDenied
	case code == http.StatusTooManyRequests:
		kind = fault.ResourceExhausted
	case code >= http.StatusInternalServerError:
		kind = fault.Unavailable
	}
	message := fmt.Sprintf("%s answered %s in a form that is not Quorate's API; see that the server URL is right", c.base, answer.Status)
	if answer.StatusCode == http.StatusBadRequest && strings.HasPrefix(c.base, "http://") { // the answer of a server with TLS to a client without
		message += ", with https:// where the server speaks TLS"
	}
	return &fault.Error{Kind: kind, Reason: "UNEXPECTED_ANSWER", Message: message, Cause: cause}
}
