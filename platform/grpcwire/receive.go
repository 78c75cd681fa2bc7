package grpcwire

import (
	"context"
	"errors"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// sendRequest opens a stream and sends the request message.
func (l *clientConn) sendRequest(ctx context.Context, s *stream, fields []hpack.HeaderField, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.openStream(ctx, s, fields); err != nil {
		return err
	}
	if err := s.send(ctx, message, true); err != nil && !s.ended { // a server may respond before it has read everything
		return err
	}
	if len(message) > maxPending { // the network may not take all of it at once
		l.flushAsync()
	} else {
		l.flush()
	}
	return nil
}

// receive makes a call and calls each for the responses.
func (l *clientConn) receive(ctx context.Context, s *stream, fields []hpack.HeaderField, r *Request, each func([]byte) error) error {
	defer l.closeStream(s)
	defer l.suspect(ctx, l.frames.Load())
	if err := l.sendRequest(ctx, s, fields, r.Message); err != nil {
		return failure(ctx, s, err)
	}
	told, large := r.Begun == nil, r.Large == nil
	for {
		message, more, err := l.nextAnswer(s, large)
		switch {
		case errors.Is(err, errLarge):
			if err = r.Large(); err == nil {
				large = true
				s.reserve()
			}
		case err != nil:
			err = failure(ctx, s, err)
		case message != nil:
			err = r.take(s, message, large, each)
			told, large = true, r.Large == nil
		case !more:
			return nil
		case !told && s.begun():
			told = true
			r.Begun()
		default:
			err = l.waitForNews(ctx, s)
		}
		if err != nil {
			return err
		}
	}
}

// take calls each with what is in a message; asked is whether it may be large.
func (r *Request) take(s *stream, message []byte, asked bool, each func([]byte) error) error {
	if compressed(message) && !asked {
		if err := r.Large(); err != nil {
			return err
		}
	}
	answer, err := s.decompressed(message)
	if err != nil {
		return err
	}
	return each(answer)
}

// waitForNews waits until something has happened to a stream.
func (l *clientConn) waitForNews(ctx context.Context, s *stream) error {
	select {
	case <-s.news:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

func (l *clientConn) nextAnswer(s *stream, large bool) (message []byte, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	message, more, err = s.next(large)
	if err == nil && !more {
		err = s.status()
	}
	return message, more, err
}

// status returns the status of a response that has ended.
func (s *stream) status() error {
	if s.trailer == nil {
		return errNoStatus
	}
	return statusOf(s.trailer)
}

// failure returns the error of a call. If ctx has ended, that takes precedence over what the server has sent.
func failure(ctx context.Context, s *stream, err error) error {
	if errors.Is(err, ErrNotBegun) {
		return err
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if unprocessed(err) && !s.begun() {
		return &notProcessedError{err}
	}
	err = statusOfReset(err)
	if at, ok := ctx.Deadline(); ok && status.Code(err) == codes.Canceled && !time.Now().Before(at) { // the server noticed the deadline first
		return status.FromContextError(context.DeadlineExceeded).Err()
	}
	return err
}

// begun reports whether a part of the response has arrived: then the server has begun the call, whatever it says. mu must not be held.
func (s *stream) begun() bool {
	if s.transport == nil {
		return false // it was never opened
	}
	s.transport.mu.Lock()
	defer s.transport.mu.Unlock()
	return s.header != nil
}
