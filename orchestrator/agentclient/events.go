package agentclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// events calls each with the data of each server-sent event until the stream ends.
func (c *caller) events(ctx context.Context, body io.ReadCloser, each func(data []byte) error) error {
	e := eventReader{caller: c, body: body, lines: bufio.NewReader(body)}
	defer func() { e.place.leave() }()
	e.skipMark()
	for {
		blank, err := e.line(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return e.end(each)
		case err != nil:
			return err
		case blank && len(e.data) > 0:
			if err := e.pass(each); err != nil {
				return err
			}
		}
	}
}

// eventReader reads server-sent events.
type eventReader struct {
	caller *caller
	body   io.ReadCloser
	lines  *bufio.Reader // of body
	data   []byte        // of the event so far
	place  *place        // of the event
}

// skipMark skips a byte order mark, with which some servers begin: it is no part of the first line (HTML, section 9.2.5). What cannot be read is for line to say.
func (e *eventReader) skipMark() {
	const mark = "\uFEFF"
	if begin, err := e.lines.Peek(len(mark)); err == nil && string(begin) == mark {
		_, _ = e.lines.Discard(len(mark))
	}
}

// line reads the next line and adds its data to the event. blank is true for the line that ends an event. After the last line the error is io.EOF.
func (e *eventReader) line(ctx context.Context) (blank bool, err error) {
	isData, size := false, 0
	for whole := false; !whole; {
		var piece []byte
		piece, err = e.lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return false, e.place.arrived(&e.caller.at, err)
		}
		whole = !errors.Is(err, bufio.ErrBufferFull)
		piece = bytes.TrimSuffix(piece, []byte("\n"))
		if size == 0 {
			blank = len(bytes.TrimSuffix(piece, []byte("\r"))) == 0
			if piece, isData = bytes.CutPrefix(piece, []byte("data:")); isData {
				piece = bytes.TrimPrefix(piece, []byte(" "))
				if len(e.data) > 0 {
					e.data = append(e.data, '\n')
				}
			}
		}
		if size += max(len(piece), 1); size > maxAnswerBytes {
			return false, e.tooLong()
		}
		if isData {
			if err := e.add(ctx, piece); err != nil {
				return false, err
			}
		}
	}
	if isData {
		e.data = bytes.TrimSuffix(e.data, []byte("\r"))
	}
	return blank, err
}

// add adds a piece of a line to the event, which needs a place once it is large.
func (e *eventReader) add(ctx context.Context, piece []byte) error {
	size := len(e.data) + len(piece)
	if size > maxAnswerBytes {
		return e.tooLong()
	}
	if size > smallAnswer && e.place == nil {
		var err error
		if e.place, err = e.caller.intake.enter(ctx, &e.caller.at, func() { _ = e.body.Close() }); err != nil {
			return err
		}
	}
	e.data = append(e.data, piece...)
	return nil
}

func (e *eventReader) tooLong() error {
	return invalid(&e.caller.at, "an event of more than %d MiB", maxAnswerBytes>>20)
}

// pass calls each with the event, and prepares for the next.
func (e *eventReader) pass(each func(data []byte) error) error {
	err := e.place.arrived(&e.caller.at, nil)
	if err == nil {
		err = each(e.data)
	}
	e.place.leave()
	e.data, e.place = nil, nil
	return err
}

// end passes the last event of a server that omits the final blank line.
func (e *eventReader) end(each func(data []byte) error) error {
	switch {
	case len(e.data) == 0:
		return nil
	case !json.Valid(e.data): // the agent died: a stream that ends with its connection shows it in no other way
		return e.place.arrived(&e.caller.at, io.ErrUnexpectedEOF)
	default:
		return e.pass(each)
	}
}
