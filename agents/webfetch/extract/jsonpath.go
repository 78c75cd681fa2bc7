package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quorate/quorate/agents/webfetch/extract/jsonpath"
	"github.com/quorate/quorate/platform/fault"
)

// renderJSONPath fills content with an array of the matching values.
func renderJSONPath(ctx context.Context, content *Content, d document, o Options) error {
	if o.Selector.Kind != JSONPath {
		return fault.Invalid("selector", ReasonSelector, "the document is JSON, and css and xpath selectors do not read it; use jsonpath")
	}
	if len(o.Selector.Expression) > maxExpression {
		return selectorInvalid(JSONPath, "is longer than %d bytes", maxExpression)
	}
	path, err := jsonpath.Parse(o.Selector.Expression)
	if err != nil {
		return selectorInvalid(JSONPath, "cannot be read: %s", line(err.Error(), 200))
	}
	if s := shapeOfJSON(d.text); s.deepest > jsonpath.MaxDepth || s.values > maxJSONValues {
		return selectorTooComplex()
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(d.text))
	decoder.UseNumber() // keeps long numbers exactly
	if err := decoder.Decode(&value); err != nil {
		return fault.New(fault.FailedPrecondition, ReasonInvalid, "it is no valid JSON: %s", line(err.Error(), 200))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.FailedPrecondition, ReasonInvalid, "it is no valid JSON: more follows behind the value, as in JSON Lines; leave the selector out")
	}
	found, err := path.Select(ctx, value)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return selectorTooComplex()
	}
	if len(found) == 0 {
		return noMatch(o.Selector)
	}
	text, ok, err := marshalAll(found, len(d.text)+maxJSONIndent)
	if err != nil {
		return err
	}
	if !ok {
		return selectorTooComplex()
	}
	content.Text, content.Extractor = text, BySelector
	fenceJSON(content, o)
	return nil
}

// marshalAll writes values as an indented JSON array. ok is false if indentation takes more than its limits or the text more than limit bytes:
// selected values may contain one another many times.
func marshalAll(values []any, limit int) (text string, ok bool, err error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // as in marshal
	for i, value := range values {
		out.WriteByte("[,"[min(i, 1)])
		if err := encoder.Encode(value); err != nil {
			return "", false, fmt.Errorf("write JSON: %w", err)
		}
		if out.Len() > limit {
			return "", false, nil
		}
	}
	out.WriteByte(']')
	return indent(out.String()), true, nil
}
