package rpcfault

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// A status is sent in headers: its message twice, and its details in base64. Some clients accept at most 8 KiB of headers, and end the connection, with all
// its calls, when they get much more.
const (
	maxMessage    = 3 << 9  // bytes of the message as encoded in the header
	maxViolations = 3 << 9  // bytes of all violations, with their fields
	maxMetadata   = 1 << 10 // bytes of all metadata, with the keys
	perDetail     = 8       // bytes that protobuf adds to a pair of strings
)

// valid returns text with replacements for what is not UTF-8, such as an odd path repeats: no field of protobuf can hold that.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// brief shortens a message to maxMessage bytes as encoded in a header, where each byte that is not printable ASCII takes three.
func brief(message string) string {
	message = valid(message)
	room := maxMessage
	for i := range len(message) {
		if room--; message[i] < ' ' || message[i] > '~' || message[i] == '%' {
			room -= 2
		}
		if room < 0 {
			return bounded.Text(message, i)
		}
	}
	return message
}

// badRequest lists as many violations as fit, and says how many are left out.
func badRequest(list []fault.Violation) *errdetails.BadRequest {
	bad := &errdetails.BadRequest{}
	room := maxViolations
	for i, v := range list {
		v.Field, v.Description = valid(v.Field), valid(v.Description)
		if room -= len(v.Field) + len(v.Description) + perDetail; room < 0 && i > 0 {
			more := fmt.Sprintf("and %d more", len(list)-i)
			bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Description: more})
			break
		}
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: bounded.Text(v.Field, maxViolations/2), Description: bounded.Text(v.Description, maxViolations/2),
		})
	}
	return bad
}

// short returns as much of the metadata as fits: the shortest values first, and the beginning of the last one.
func short(metadata map[string]string) map[string]string {
	list := make(map[string]string, len(metadata))
	keys := slices.SortedFunc(maps.Keys(metadata), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(metadata[a]), len(metadata[b])), cmp.Compare(a, b))
	})
	room := maxMetadata
	for _, key := range keys {
		if room -= len(key) + perDetail; room <= 0 {
			break
		}
		list[key] = bounded.Text(valid(metadata[key]), room)
		room -= len(list[key])
	}
	return list
}
