package rpcserver

import (
	"fmt"
	"regexp"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// These match the errors of other packages that the gateway turns into text.
var (
	number    = regexp.MustCompile(`^strconv\.Parse(Bool|\w+): parsing (".*"): (?:invalid syntax|(value out of range))$`)
	duration  = regexp.MustCompile(`^(?:time: )?(?:missing unit in|invalid|unknown unit ".*" in) duration (".*")$`)
	instant   = regexp.MustCompile(`^parsing time (".*?") as `)
	parameter = regexp.MustCompile(`^(?:parsing field "([^"]+)": |type mismatch, parameter: (\S+), error: )(.*)$`) // the gateway's own
	repeated  = regexp.MustCompile(`^(?:too many values for|duplicate) field "([^"]+)"`)                           // the gateway's own, too
	deadline  = regexp.MustCompile(`^invalid grpc-timeout: ((?s:.*))$`)                                            // as is this
	inBody    = regexp.MustCompile(`^the body cannot be read, line \d+:\d+: ([\w.\[\]-]+): (.*)$`)                 // as readable words it
)

// plain rewords the gateway's error about a value that it refused, and names the field or header in a violation.
func plain(err error) error {
	st, ok := status.FromError(err)
	if !ok || st.Code() != codes.InvalidArgument || len(st.Proto().GetDetails()) > 0 {
		return err
	}
	if in := inBody.FindStringSubmatch(st.Message()); in != nil {
		return violation(in[1], in[2], st.Message())
	}
	if in := deadline.FindStringSubmatch(st.Message()); in != nil {
		text := fmt.Sprintf("%q is not a time that a call may take, such as 10S or 500m", fault.Clip(in[1])) // in quotes, since it may not be UTF-8
		return violation("grpc-timeout", text, "Grpc-Timeout: "+text)
	}
	if name, text := WrongParameter(st.Message()); name != "" {
		return violation(name, text, name+": "+text)
	}
	return err
}

// WrongParameter returns which parameter of a query the gateway refuses by an error with this message, and what is wrong with it in plain words. Of
// other errors it returns nothing.
func WrongParameter(message string) (name, text string) {
	if twice := repeated.FindStringSubmatch(message); twice != nil {
		return twice[1], "it is given more than once"
	}
	of := parameter.FindStringSubmatch(message)
	if of == nil {
		return "", ""
	}
	return of[1] + of[2], plainText(of[3])
}

// plainText rewords what is wrong with the value of a parameter.
func plainText(text string) string {
	if wrong := number.FindStringSubmatch(text); wrong != nil {
		switch {
		case wrong[1] == "Bool":
			return fault.Clip(wrong[2]) + " is neither true nor false"
		case wrong[3] != "":
			return fault.Clip(wrong[2]) + " is a number out of range"
		default:
			return fault.Clip(wrong[2]) + " is not a valid number"
		}
	}
	if wrong := duration.FindStringSubmatch(text); wrong != nil {
		return fault.Clip(wrong[1]) + " is not a duration, such as 5s or 1m30s"
	}
	if wrong := instant.FindStringSubmatch(text); wrong != nil {
		return fault.Clip(wrong[1]) + " is not a time; write date, time and zone, such as 2026-01-16T12:00:00Z"
	}
	return text
}

// violation returns the status for a field whose value is wrong.
func violation(field, text, message string) error {
	f := fault.New(fault.InvalidArgument, "INVALID_ARGUMENT", "%s", message)
	f.Violations = []fault.Violation{{Field: field, Description: text}}
	return rpcfault.Status(f).Err()
}
