package grpcwire

import (
	"encoding/base64"
	"strings"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/metadata"
)

const contentType = "application/grpc"

// metadataOf returns the header fields that do not belong to the protocol. Values of keys that end with -bin are decoded to bytes.
func metadataOf(fields []hpack.HeaderField) (metadata.MD, error) {
	md := make(metadata.MD, len(fields))
	values := make([]string, len(fields)) // one for each field, in one allocation
	for i, f := range fields {
		if reserved(f.Name) {
			continue
		}
		value := f.Value
		if strings.HasSuffix(f.Name, "-bin") {
			bytes, err := fromBase64(value)
			if err != nil {
				return nil, malformed("the metadata %.100q is not base64", f.Name)
			}
			value = string(bytes)
		}
		if list, ok := md[f.Name]; ok {
			md[f.Name] = append(list, value)
			continue
		}
		values[i] = value
		md[f.Name] = values[i : i+1 : i+1]
	}
	return md, nil
}

// reserved reports whether a field belongs to the protocol. Applications see the same few of those as with grpc-go.
func reserved(name string) bool {
	switch name {
	case "content-type", "user-agent", ":authority":
		return false
	case "te":
		return true
	default:
		return strings.HasPrefix(name, ":") || strings.HasPrefix(name, "grpc-")
	}
}

// appendMetadata appends metadata to header fields. Keys that belong to the protocol are left out.
func appendMetadata(fields []hpack.HeaderField, md metadata.MD) []hpack.HeaderField {
	for key, values := range md {
		for _, value := range values {
			fields = appendPair(fields, key, value)
		}
	}
	return fields
}

func appendPair(fields []hpack.HeaderField, key, value string) []hpack.HeaderField {
	switch {
	case reserved(key), key == "content-type", key == "user-agent", key == ":authority", !validKey(key):
		return fields
	case strings.HasSuffix(key, "-bin"):
		value = base64.RawStdEncoding.EncodeToString([]byte(value))
	case !validValue(value):
		return fields
	}
	return append(fields, hpack.HeaderField{Name: key, Value: value, Sensitive: key == "authorization"})
}

// validKey reports whether a key is allowed (gRPC over HTTP/2, Custom-Metadata).
func validKey(key string) bool {
	for _, c := range []byte(key) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return key != "" && key != "connection"
}

func validValue(value string) bool {
	for _, c := range []byte(value) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// fromBase64 decodes base64 with or without padding.
func fromBase64(s string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}
