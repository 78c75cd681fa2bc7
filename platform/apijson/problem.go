package apijson

import (
	"encoding/json"
	"strings"
)

// Problem returns the text of an error of protojson without its prefix and its non-breaking spaces, by which protojson keeps programs from parsing it.
func Problem(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}

// ProblemIn is Problem for an error about raw. About half of a character it says so: protojson says that an escape is invalid, or that the input ends early.
func ProblemIn(raw []byte, err error) string {
	if json.Valid(raw) {
		if half := halfCharacter(raw); half != "" {
			return half + " is half of a character: a text was cut in the middle of one"
		}
	}
	return Problem(err)
}
