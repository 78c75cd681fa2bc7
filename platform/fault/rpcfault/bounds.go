package rpcfault

import (
	"fmt"
	"maps"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// A status travels in headers. Some clients take no more than 8 KiB of them, and whoever is sent much more ends the connection, with all its calls.
const (
	maxMessage    = 2 << 10 // bytes
	maxViolations = 3 << 10 // bytes of all, with their fields
	maxMetadata   = 1 << 10 // bytes of a value
)

// badRequest lists violations as far as there is room, and says how many there are more.
func badRequest(list []fault.Violation) *errdetails.BadRequest {
	bad := &errdetails.BadRequest{}
	room := maxViolations
	for i, v := range list {
		if room -= len(v.Field) + len(v.Description); room < 0 && i > 0 {
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

// short returns metadata whose values are not long.
func short(metadata map[string]string) map[string]string {
	for key, value := range metadata {
		if len(value) > maxMetadata {
			metadata = maps.Clone(metadata)
			metadata[key] = bounded.Text(value, maxMetadata)
		}
	}
	return metadata
}
