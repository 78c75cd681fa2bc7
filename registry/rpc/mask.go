package rpc

import (
	"strings"

	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// maskPaths returns the paths of a mask with the fields' names in the proto. In a REST query they may be JSON names, such as inputSchemas for
// input_schemas, which the gateway does not convert.
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
