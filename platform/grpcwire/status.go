package grpcwire

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// The fields of a trailer that contain the status of a call.
const (
	fieldStatus  = "grpc-status"
	fieldMessage = "grpc-message"
	fieldDetails = "grpc-status-details-bin"
)

func malformed(format string, args ...any) error {
	return status.Error(codes.Internal, fmt.Sprintf(format, args...))
}

func appendStatus(fields []hpack.HeaderField, st *status.Status) []hpack.HeaderField {
	fields = append(fields, hpack.HeaderField{Name: fieldStatus, Value: strconv.Itoa(int(st.Code()))})
	if st.Message() != "" {
		fields = append(fields, hpack.HeaderField{Name: fieldMessage, Value: percentEncode(st.Message())})
	}
	if p := st.Proto(); len(p.GetDetails()) > 0 {
		if b, err := proto.Marshal(p); err == nil { // otherwise only the code and the message are sent
			fields = append(fields, hpack.HeaderField{Name: fieldDetails, Value: base64.RawStdEncoding.EncodeToString(b)})
		}
	}
	return fields
}

// statusOf reads the status in a trailer; nil means OK. A trailer without a valid status is an error too.
func statusOf(trailer []hpack.HeaderField) error {
	var code, message, details string
	for _, f := range trailer {
		switch f.Name {
		case fieldStatus:
			code = f.Value
		case fieldMessage:
			message = percentDecode(f.Value)
		case fieldDetails:
			details = f.Value
		}
	}
	if code == "" {
		if web, kind := kindOf(trailer); web != "" { // it is the header, too
			return notGRPC(web, kind)
		}
		return errNoStatus
	}
	n, err := strconv.ParseUint(code, 10, 32)
	if err != nil {
		return malformed("the status of the answer, %.100q, is no number", code)
	}
	if n == 0 {
		return nil
	}
	if details != "" {
		p := &spb.Status{}
		if b, err := fromBase64(details); err == nil && proto.Unmarshal(b, p) == nil && uint64(p.GetCode()) == n { //nolint:gosec // G115: a negative one is another
			return status.ErrorProto(p)
		}
	}
	return status.Error(codes.Code(n), message)
}

var errNoStatus = found(ErrCutOff, codes.Unknown, "the answer ended without a status")

// kindOf returns the HTTP status and the content type of a response; both are empty in a trailer.
func kindOf(header []hpack.HeaderField) (web, kind string) {
	for _, f := range header {
		switch f.Name {
		case ":status":
			web = f.Value
		case "content-type":
			kind = f.Value
		}
	}
	return web, kind
}

// notGRPC returns the error for a response that is not of gRPC, by its HTTP status (gRPC's http-grpc-status-mapping.md).
func notGRPC(web, kind string) error {
	code := codes.Unknown
	switch n, _ := strconv.Atoi(web); n {
	case http.StatusBadRequest:
		code = codes.Internal
	case http.StatusUnauthorized:
		code = codes.Unauthenticated
	case http.StatusForbidden:
		code = codes.PermissionDenied
	case http.StatusNotFound:
		code = codes.Unimplemented
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		code = codes.Unavailable
	}
	return status.Errorf(code, "the answer is not of gRPC: HTTP status %.10q, content type %.100q", web, kind)
}

// statusOfReset returns the error of a call whose stream was reset or whose connection ended (gRPC over HTTP/2, Errors).
func statusOfReset(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	reset, ok := errors.AsType[http2.StreamError](err)
	if !ok {
		return status.Errorf(codes.Unavailable, "the connection ended: %v", err)
	}
	code := codes.Internal
	switch reset.Code { //nolint:exhaustive // the others mean that one end has a bug
	case http2.ErrCodeRefusedStream:
		code = codes.Unavailable
	case http2.ErrCodeCancel:
		code = codes.Canceled
	case http2.ErrCodeEnhanceYourCalm:
		code = codes.ResourceExhausted
	case http2.ErrCodeInadequateSecurity:
		code = codes.PermissionDenied
	}
	return found(ErrCutOff, code, fmt.Sprintf("the stream was reset: %v", reset.Code))
}

// statusOfSend returns the error for a response that could not be sent.
func statusOfSend(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	return statusOfReset(err)
}

// percentEncode encodes a message for a header (gRPC over HTTP/2, Status-Message).
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// percentDecode reverses percentEncode. Invalid escapes stay unchanged.
func percentDecode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
