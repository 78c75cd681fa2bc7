package grpcwire

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
)

// read reads frames until the connection ends, and closes it.
func (w *transport) read() {
	err := w.readFrames()
	code, wrong := errors.AsType[http2.ConnectionError](err)
	if errors.Is(err, http2.ErrFrameTooLarge) {
		code, wrong = http2.ConnectionError(http2.ErrCodeFrameSize), true
	}
	switch {
	case wrong:
		w.sendGoAway(http2.ErrCode(code), err)
		_, _ = io.Copy(io.Discard, w.conn) // sendGoAway has set a deadline
	case errors.Is(err, io.EOF):
		err = errClosed
	}
	w.mu.Lock()
	w.stop(cmp.Or(w.unsent, err))
	w.mu.Unlock()
	_ = w.conn.Close() // everything has been sent
}

func (w *transport) readFrames() error {
	for {
		f, err := w.framer.ReadFrame()
		w.frames.Add(1)
		if wrong, ok := errors.AsType[http2.StreamError](err); ok {
			err = w.refuse(wrong)
		} else if err == nil {
			err = w.handleFrame(f)
		}
		if err != nil {
			return err
		}
	}
}

// refuse resets a stream whose frame is malformed.
func (w *transport) refuse(wrong http2.StreamError) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastID = max(w.lastID, wrong.StreamID)
	if s := w.streams[wrong.StreamID]; s != nil {
		w.cutOff(s, wrong)
	}
	_ = w.encoder.WriteRSTStream(wrong.StreamID, wrong.Code)
	return w.flushLater()
}

func (w *transport) handleFrame(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return w.role.headers(f)
	case *http2.DataFrame:
		return w.data(f)
	case *http2.SettingsFrame:
		return w.settings(f)
	case *http2.PingFrame:
		return w.ping(f)
	case *http2.WindowUpdateFrame:
		return w.windowUpdate(f)
	case *http2.RSTStreamFrame:
		return w.reset(f)
	case *http2.GoAwayFrame:
		w.role.goAway(f.LastStreamID)
		return nil
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol) // push is disabled
	case *http2.PriorityFrame:
		if f.StreamDep == f.StreamID {
			return w.refuse(http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol})
		}
		return nil
	default:
		return nil // unknown frames are ignored (RFC 9113, section 5.5)
	}
}

func (w *transport) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	initial := w.initial
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID { //nolint:exhaustive // the others do not matter here
		case http2.SettingInitialWindowSize:
			initial = int64(s.Val)
		case http2.SettingMaxFrameSize:
			w.maxFrame = min(int(s.Val), maxPending)
		case http2.SettingHeaderTableSize:
			w.table.SetMaxDynamicTableSizeLimit(min(s.Val, 4<<10)) //nolint:mnd // the initial size, which suffices
		case http2.SettingMaxConcurrentStreams:
			w.role.setMaxStreams(s.Val)
		}
		return nil
	})
	if err == nil {
		err = w.applyInitialWindow(initial)
	}
	if err != nil {
		return err
	}
	w.role.settingsReceived()
	_ = w.encoder.WriteSettingsAck()
	w.wakeNext()
	return w.flushLater()
}

// applyInitialWindow changes the windows of all streams (RFC 9113, section 6.9.2), once for each settings frame. Windows may become negative.
func (w *transport) applyInitialWindow(initial int64) error {
	grown := initial - w.initial
	if grown == 0 {
		return nil
	}
	w.initial = initial
	for _, s := range w.streams {
		if s.window += grown; s.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
	}
	return nil
}

func (w *transport) ping(f *http2.PingFrame) error {
	if f.IsAck() {
		w.role.pong()
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.pinged) > time.Minute {
		w.pings, w.pinged = 0, now
	}
	if w.pings++; w.maxPings > 0 && w.pings > w.maxPings {
		return http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
	}
	_ = w.encoder.WritePing(true, f.Data)
	return w.flushLater()
}

func (w *transport) windowUpdate(f *http2.WindowUpdateFrame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.StreamID == 0 {
		if w.window += int64(f.Increment); w.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		w.wakeNext()
		return nil
	}
	s, err := w.stream(f.StreamID)
	if s == nil {
		return err
	}
	if s.window += int64(f.Increment); s.window > maxWindow {
		return w.drop(s, http2.ErrCodeFlowControl)
	}
	s.room.Signal()
	return nil
}

func (w *transport) reset(f *http2.RSTStreamFrame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.stream(f.StreamID)
	if s == nil {
		return err
	}
	w.cutOff(s, http2.StreamError{StreamID: s.id, Code: f.ErrCode})
	return nil
}

// stream returns an open stream, or nil without an error for one that has ended; mu is held.
func (w *transport) stream(id uint32) (*stream, error) {
	s := w.streams[id]
	if s == nil && (id > w.lastID || id%2 == 0) {
		return nil, http2.ConnectionError(http2.ErrCodeProtocol) // it was never opened
	}
	return s, nil
}

// drop resets a stream. mu is held.
func (w *transport) drop(s *stream, code http2.ErrCode) error {
	w.cutOff(s, http2.StreamError{StreamID: s.id, Code: code})
	_ = w.encoder.WriteRSTStream(s.id, code)
	return w.flushLater()
}

// cutOff ends a stream that one of the ends has reset. mu is held.
func (w *transport) cutOff(s *stream, err error) {
	delete(w.streams, s.id)
	s.fail(err)
	w.role.streamCutOff()
}

var errTooLong = found(ErrTooLarge, codes.ResourceExhausted, fmt.Sprintf("the headers are longer than %d KiB", maxHeaderBytes>>10))
