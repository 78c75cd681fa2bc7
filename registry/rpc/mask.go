package rpc

import (
	"strings"

	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// maskPaths returns the paths of a mask as the fields are named in the proto. In a query of REST they may be written as in JSON,
// inputSchemas for input_schemas, and the gateway leaves them so.
func maskPaths(mask *fieldmaskpb.FieldMask) []string {
	var paths []string
	for _, path := range mask.GetPaths() {
		var b strings.Builder
		for _, r := range path {
			if 'A' <= r && r <= 'Z' {
				b.WriteByte('_')
				r += 'a' - 'A'
			}
			b.WriteRune(r)
		}
		paths = append(paths, b.String())
	}
	return paths
}
