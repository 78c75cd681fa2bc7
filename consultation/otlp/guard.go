package otlp

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Limits of a request, checked before it is decoded: a few encoded bytes become hundreds in memory, and the decoder recurses as deep as the sender
// nests. Four mebibytes of nested lists take half a gigabyte.
const (
	maxSpans       = 10_000
	maxVerdicts    = 1_000   // each is looked up in the store; agents send them one by one
	maxMessages    = 400_000 // protobuf messages
	maxDepth       = 64      // nesting of protobuf messages; a plain attribute is six levels deep
	maxJSONObjects = 200_000
	maxJSONDepth   = 128
)

var errMalformed = errors.New("the body is not an OTLP trace request")

// message is a protobuf message type of a trace request.
type message int

const (
	request message = iota
	resourceSpans
	resource
	scopeSpans
	scope
	span
	event
	link
	keyValue
	anyValue
	list
	keyValueList
	leaf // without messages inside that matter
)

// fields are the message fields of each type, from opentelemetry/proto/trace/v1/trace.proto and its imports.
var fields = map[message]map[protowire.Number]message{
	request:       {1: resourceSpans},
	resourceSpans: {1: resource, 2: scopeSpans, 1000: scopeSpans},
	resource:      {1: keyValue, 3: leaf},
	scopeSpans:    {1: scope, 2: span},
	scope:         {3: keyValue},
	span:          {9: keyValue, 11: event, 13: link, 15: leaf},
	event:         {3: keyValue},
	link:          {4: keyValue},
	keyValue:      {2: anyValue},
	anyValue:      {5: list, 6: keyValueList},
	list:          {1: anyValue},
	keyValueList:  {1: keyValue},
}

// protoGuard counts the contents of a protobuf request.
type protoGuard struct{ spans, messages int }

func checkProto(body []byte) error {
	var g protoGuard
	return g.walk(request, body, 0)
}

func (g *protoGuard) walk(m message, body []byte, depth int) error {
	g.messages++
	if m == span {
		g.spans++
	}
	if err := within(g.spans, maxSpans, "spans"); err != nil {
		return err
	}
	if err := within(g.messages, maxMessages, "messages"); err != nil {
		return err
	}
	if err := within(depth, maxDepth, "levels of nesting"); err != nil {
		return err
	}
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return errMalformed
		}
		body = body[n:]
		if child, ok := fields[m][number]; ok && kind == protowire.BytesType {
			inner, n := protowire.ConsumeBytes(body)
			if n < 0 {
				return errMalformed
			}
			if err := g.walk(child, inner, depth+1); err != nil {
				return err
			}
			body = body[n:]
			continue
		}
		// OTLP messages have no groups, and skipping a group recurses.
		if kind == protowire.StartGroupType {
			return errMalformed
		}
		n = protowire.ConsumeFieldValue(number, kind, body)
		if n < 0 {
			return errMalformed
		}
		body = body[n:]
	}
	return nil
}

// checkJSON counts the contents of a JSON request, which is one object. Whether that is valid JSON is up to the decoder, which does not look behind the
// first value: a request there, as in a file of such lines, would be lost in silence.
func checkJSON(body []byte) error {
	objects, depth := 0, 0
	inString := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString:
			if c == '\\' {
				i++
			}
			inString = c != '"'
		case depth == 0 && strings.IndexByte(" \t\r\n", c) >= 0: // around the object
		case depth == 0 && (c != '{' || objects > 0):
			return errMalformed
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
			objects++
			if err := within(depth, maxJSONDepth, "levels of nesting"); err != nil {
				return err
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return within(objects, maxJSONObjects, "objects and lists")
}

func within(n, limit int, what string) error {
	if n <= limit {
		return nil
	}
	return fmt.Errorf("the body has more than %d %s", limit, what)
}
