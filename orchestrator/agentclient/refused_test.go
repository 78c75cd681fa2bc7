package agentclient_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Types of frames (RFC 9113, section 6).
const (
	frameData     = 0
	frameReset    = 3
	frameSettings = 4
)

// frame returns a frame of HTTP/2.
func frame(kind byte, stream uint32, payload []byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	return append(binary.BigEndian.AppendUint32(append(header, 0), stream), payload...)
}

// nextFrame reads a frame and returns its type and its stream.
func nextFrame(from io.Reader) (kind byte, stream uint32, err error) {
	header := make([]byte, 9)
	if _, err := io.ReadFull(from, header); err != nil {
		return 0, 0, err
	}
	size := binary.BigEndian.Uint32(header) >> 8
	_, err = io.CopyN(io.Discard, from, int64(size))
	return header[3], binary.BigEndian.Uint32(header[5:]), err
}

// resettingPool returns a pool for an agent over gRPC that takes a number of calls at a time, and resets each with a code unless that is 0. It runs in a
// bubble of synctest.
func resettingPool(most, code uint32) *agentclient.Pool {
	return agentclient.NewPool(func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			_, _ = io.CopyN(io.Discard, theirs, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
			for range 2 { // settings and a window
				_, _, _ = nextFrame(theirs)
			}
			const maxConcurrentStreams = 3
			_, _ = theirs.Write(frame(frameSettings, 0, binary.BigEndian.AppendUint32([]byte{0, maxConcurrentStreams}, most)))
			for kind, stream, err := nextFrame(theirs); err == nil; kind, stream, err = nextFrame(theirs) {
				if kind == frameData && code != 0 {
					_, _ = theirs.Write(frame(frameReset, stream, binary.BigEndian.AppendUint32(nil, code))) // the client may be gone
				}
			}
		}()
		return ours, nil
	}, new(http.Client), nil)
}

// TestAnAgentThatDoesNotBeginACallHasNotTakenIt has agents over gRPC of which it is certain, and some of which it is not.
func TestAnAgentThatDoesNotBeginACallHasNotTakenIt(t *testing.T) {
	t.Parallel()
	const internalError, refusedStream = 2, 7
	card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://agent", Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}}
	for name, test := range map[string]struct {
		most, code   uint32
		reason, text string
		sure         bool
	}{
		"it refuses each call": {1, refusedStream, agentclient.ReasonUnreachable, "did not take the call: the server refused the call 5 times", true},
		"it takes no calls":    {0, 0, agentclient.ReasonTimeout, "did not answer in time: the call waited for its turn: the server takes 0 at a time", true},
		"it does not answer":   {1, 0, agentclient.ReasonTimeout, "did not answer in time", false},
		"it breaks off":        {1, internalError, agentclient.ReasonUnreachable, "INTERNAL_ERROR", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := resettingPool(test.most, test.code)
				defer p.Close()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				c, _, err := p.Connect("a", card)
				if err != nil {
					t.Fatal(err)
				}
				err = c.Send(ctx, message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
				if fault.ReasonOf(err) != test.reason || fault.KindOf(err) != kinds[test.reason] || !strings.Contains(err.Error(), test.text) {
					t.Errorf("Send() = %v, want %s with %q", err, test.reason, test.text)
				}
				if !agentclient.Retryable(err) || agentclient.NotTaken(err) != test.sure {
					t.Errorf("Send() = %v, want it retryable, and certain that it was not taken: %t", err, test.sure)
				}
				ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err = p.PassageOverGRPC("a", &card).Invoke(ctx, a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{})
				if fault.ReasonOf(err) != test.reason || !strings.Contains(err.Error(), test.text) {
					t.Errorf("Invoke() = %v, want %s with %q", err, test.reason, test.text)
				}
			})
		})
	}
}
