package rpcfault

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// A status travels in headers, its message twice and its details in base64. Some clients take no more than 8 KiB of them, and whoever is sent much more ends the
// connection, with all its calls.
const (
	maxMessage    = 3 << 9  // bytes as it travels
	maxViolations = 3 << 9  // bytes of all, with their fields
	maxMetadata   = 1 << 10 // bytes of all, with their keys
	perDetail     = 8       // bytes of protobuf around two texts that belong together
)

// brief returns a message that is not long in its header, where what is not printable ASCII takes three bytes.
func brief(message string) string {
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

// badRequest lists violations as far as there is room, and says how many there are more.
func badRequest(list []fault.Violation) *errdetails.BadRequest {
	bad := &errdetails.BadRequest{}
	room := maxViolations
	for i, v := range list {
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

// short returns metadata as far as there is room: the shortest values, and the beginning of the last.
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
		list[key] = bounded.Text(metadata[key], room)
		room -= len(list[key])
	}
	return list
}
