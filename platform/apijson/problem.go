package apijson

import "strings"

// Problem returns the text of an error of protojson without its prefix and its non-breaking spaces, by which protojson keeps programs from parsing it.
func Problem(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}
