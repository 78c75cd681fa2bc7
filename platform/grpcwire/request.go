package grpcwire

import (
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// wellFormed reports whether the header of a request is valid in HTTP/2 (RFC 9113, sections 8.2 and 8.3). The framer has already checked names, values and
// duplicate pseudo-header fields.
func wellFormed(f *http2.MetaHeadersFrame) bool {
	for _, field := range f.RegularFields() {
		switch field.Name {
		case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
			return false
		case "te":
			if field.Value != "trailers" {
				return false
			}
		}
	}
	return f.PseudoValue("method") != "" && f.PseudoValue("scheme") != "" && strings.HasPrefix(f.PseudoValue("path"), "/") &&
		(!f.HasPriority() || f.Priority.StreamDep != f.StreamID)
}

// readHeader returns the method of a request, or why the request is not a gRPC call.
func readHeader(fields []hpack.HeaderField) (path string, refused error) {
	var verb, kind string
	for _, f := range fields {
		switch f.Name {
		case ":path":
			path = f.Value
		case ":method":
			verb = f.Value
		case "content-type":
			kind = f.Value
		}
	}
	if verb != "POST" || !isGRPC(kind) {
		return path, unimplemented("%.20q with content type %.100q is no call of gRPC", verb, kind)
	}
	return path, nil
}

func isGRPC(kind string) bool {
	rest, ok := strings.CutPrefix(kind, contentType)
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';')
}

// declaredLength returns the length of the body that a header declares, or came if it declares none.
func declaredLength(fields []hpack.HeaderField, came uint64) uint64 {
	for _, f := range fields {
		if f.Name != "content-length" {
			continue
		}
		if n, err := strconv.ParseUint(f.Value, 10, 63); err == nil {
			return n
		}
		return came + 1
	}
	return came
}

func unimplemented(format string, args ...any) error {
	return status.Errorf(codes.Unimplemented, format, args...)
}
