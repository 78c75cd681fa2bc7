package restclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
)

// silence is how long nothing may arrive on a stream before it is ended; the server sends a comment every 15 seconds.
const silence = time.Minute

var errSilence = fault.New(fault.Unavailable, "STREAM_BROKEN", "nothing arrived on the stream for %v", silence)

// Stream reads the server-sent events at path, decodes each into a new message, and calls each with it.
//
// It returns nil when the server ends the stream, and an error of each unchanged. Other errors are faults: those of Call,
// and STREAM_BROKEN if the connection breaks or nothing arrives for a minute.
func (c *Client) Stream(ctx context.Context, path string, query url.Values, newMessage func() proto.Message, each func(proto.Message) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(errSilence) })
	defer watchdog.Stop()

	answer, err := c.send(ctx, http.MethodGet, path, query, nil, "text/event-stream")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return c.unexpected(answer, fmt.Errorf("content type is %q, not text/event-stream", answer.Header.Get("Content-Type")))
	}
	events := eventReader{lines: bufio.NewReader(answer.Body), heard: func() { watchdog.Reset(silence) }}
	for {
		name, data, err := events.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.broken(ctx, err)
		}
		if name == "error" {
			if err := decodeStatus(data); err != nil {
				return err
			}
			return c.unexpected(answer, errors.New("the stream ended with an error that is not a status"))
		}
		message := newMessage()
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, message); err != nil {
			return c.unexpected(answer, err)
		}
		watchdog.Stop() // a slow reader is not a silent server
		if err := each(message); err != nil {
			return err
		}
		watchdog.Reset(silence)
	}
}

func (c *Client) broken(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if ended := c.ended(ctx); ended != nil {
		return ended
	}
	return fault.New(fault.Unavailable, "STREAM_BROKEN", "the stream of %s broke off: %w", c.base, err)
}

// eventReader reads server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html section 9.2.6.
type eventReader struct {
	lines *bufio.Reader
	heard func() // called for every line, comments too
}

// next returns the name and the data of the next event that has data. An incomplete event at the end is dropped.
func (r *eventReader) next() (name string, data []byte, err error) {
	for {
		line, err := r.line()
		if err != nil {
			return "", nil, err
		}
		if len(line) == 0 {
			if data != nil {
				return name, bytes.TrimSuffix(data, []byte("\n")), nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if len(data)+len(value) > MaxAnswerBytes {
				return "", nil, tooLarge()
			}
			data = append(append(data, value...), '\n')
		}
	}
}

// line returns the next line without its end, LF or CRLF.
func (r *eventReader) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := r.lines.ReadSlice('\n')
		if len(line)+len(piece) > MaxAnswerBytes {
			return nil, tooLarge()
		}
		line = append(line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		r.heard()
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	}
}
