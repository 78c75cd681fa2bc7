package restclient_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/restclient"
)

// silentServer sends one event and then nothing until the request ends.
type silentServer struct{}

func (silentServer) RoundTrip(r *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: struct {
			io.Reader
			io.Closer
		}{io.MultiReader(strings.NewReader("data: 1\n\n"), reader), reader},
	}, nil
}

func TestStreamEndsWhenNothingArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := restclient.New("http://quorate.test", token, &http.Client{Transport: silentServer{}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err = c.Stream(t.Context(), "/", nil, func() proto.Message { return &structpb.Value{} }, func(proto.Message) error {
			time.Sleep(5 * time.Minute) //nolint:forbidigo // the clock of the bubble; a slow reader must not end the stream
			return nil
		})
		if fault.ReasonOf(err) != "STREAM_BROKEN" || time.Since(start) != 6*time.Minute {
			t.Errorf("Stream() = %v after %v, want STREAM_BROKEN after 6m", err, time.Since(start))
		}
	})
}

// deafServer takes connections and answers nothing.
type deafServer struct{}

func (deafServer) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestStreamEndsWhenItDoesNotBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := restclient.New("http://quorate.test", token, &http.Client{Transport: deafServer{}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err = c.Stream(t.Context(), "/", nil, func() proto.Message { return &structpb.Value{} }, func(proto.Message) error { return nil })
		if fault.ReasonOf(err) != "STREAM_BROKEN" || time.Since(start) != time.Minute {
			t.Errorf("Stream() = %v after %v, want STREAM_BROKEN after 1m", err, time.Since(start))
		}
	})
}

// slowServer sends a comment every half minute, and an event after five minutes.
type slowServer struct{}

func (slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	go func() {
		for range 10 {
			time.Sleep(30 * time.Second) //nolint:forbidigo // the clock of the bubble
			write(writer, ": alive\n\n")
		}
		write(writer, "data: 1\n\n")
		_ = writer.Close() // never an error
	}()
	context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: reader}, nil
}

func TestCommentsShowThatAStreamIsAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := restclient.New("http://quorate.test", token, &http.Client{Transport: slowServer{}})
		if err != nil {
			t.Fatal(err)
		}
		events := 0
		err = c.Stream(t.Context(), "/", nil, func() proto.Message { return &structpb.Value{} }, func(proto.Message) error { events++; return nil })
		if err != nil || events != 1 {
			t.Errorf("Stream() = %v after %d events, want no error after 1", err, events)
		}
	})
}
