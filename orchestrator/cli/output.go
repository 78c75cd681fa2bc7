package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/platform/apijson"
)

// outputFormat is the value of -o: true for JSON.
type outputFormat bool

// Set accepts table or json.
func (o *outputFormat) Set(text string) error {
	if text != "table" && text != "json" {
		return errors.New("must be table or json")
	}
	*o = text == "json"
	return nil
}

// String returns table or json.
func (o *outputFormat) String() string {
	if *o {
		return "json"
	}
	return "table"
}

// Type is the name of the values in help texts.
func (*outputFormat) Type() string { return "format" }

// show prints m as one JSON document with its empty lists, as REST has it, or calls table.
func (a *app) show(m proto.Message, table func()) error {
	if !a.json {
		table()
		return nil
	}
	answer, err := answerJSON(m)
	if err != nil {
		return err
	}
	return a.document(answer)
}

// document prints one indented JSON value.
func (a *app) document(compact []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return fmt.Errorf("indenting JSON: %w", err)
	}
	b.WriteByte('\n')
	_, err := a.out.Write(b.Bytes())
	return err
}

// jsonLine prints m as one line of JSON, with its empty lists.
func (a *app) jsonLine(m proto.Message) error {
	answer, err := answerJSON(m)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(answer, '\n'))
	return err
}

// answerJSON returns an answer of the server with its empty lists, as REST has it.
func answerJSON(m proto.Message) ([]byte, error) {
	compact, err := compactJSON(m)
	if err != nil {
		return nil, err
	}
	return apijson.WithLists(compact, m.ProtoReflect()), nil
}

// compactJSON returns protojson of m without the white space, which protojson varies from build to build.
func compactJSON(m proto.Message) ([]byte, error) {
	content, err := protojson.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, content); err != nil {
		return nil, fmt.Errorf("compacting JSON: %w", err)
	}
	return b.Bytes(), nil
}

// when formats a time: as its distance from now on a terminal, otherwise as RFC 3339 in UTC.
func (a *app) when(t *timestamppb.Timestamp) string {
	if t == nil {
		return "-"
	}
	if a.out.terminal() {
		return relative(time.Until(t.AsTime()))
	}
	return t.AsTime().UTC().Format(time.RFC3339)
}

// clock formats the time of an event: as local time of day on a terminal, otherwise as RFC 3339 in UTC.
func (a *app) clock(t *timestamppb.Timestamp) string {
	if a.out.terminal() {
		return t.AsTime().Local().Format("15:04:05")
	}
	return t.AsTime().UTC().Format(time.RFC3339)
}

// relative formats a duration in its largest unit.
func relative(distance time.Duration) string {
	amount := distance.Abs()
	var text string
	switch {
	case amount < time.Minute:
		text = fmt.Sprintf("%ds", amount/time.Second)
	case amount < time.Hour:
		text = fmt.Sprintf("%dm", amount/time.Minute)
	case amount < 48*time.Hour:
		text = fmt.Sprintf("%dh", amount/time.Hour)
	default:
		text = fmt.Sprintf("%dd", amount/(24*time.Hour))
	}
	if distance > 0 {
		return "in " + text
	}
	return text + " ago"
}
