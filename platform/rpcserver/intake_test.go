package rpcserver_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/rpcserver"
)

// TestFewRequestsOfACallerAreReceivedAtATime begins twice as many as the server receives, each too large for the window of its stream.
func TestFewRequestsOfACallerAreReceivedAtATime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, token string
		most        int
	}{
		"calls":   {getBook, readerToken, 32},
		"streams": {watchBooks, readerToken, 32},
		"talks":   {grpc_reflection_v1.ServerReflection_ServerReflectionInfo_FullMethodName, readerToken, 32},
		"public":  {grpc_health_v1.Health_Check_FullMethodName, "", 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 })
			h := hoard(t, r)
			other := uint32(1)
			for ; other < uint32(4*c.most); other += 2 {
				h.begin(other, c.path, c.token)
			}
			received := make(map[uint32]bool)
			for len(received) < c.most {
				received[h.nextReceived()] = true
			}
			h.begin(other, getBook, agentToken)
			if id := h.nextReceived(); id != other {
				t.Errorf("stream %d is received beside %d of the same caller, want %d, that of another", id, c.most, other)
			}
			for id := range received {
				h.must(h.WriteRSTStream(id, http2.ErrCodeCancel))
				break
			}
			if id := h.nextReceived(); received[id] || id == other {
				t.Errorf("stream %d is received when another is over, want one that waited", id)
			}
		})
	}
}

// TestWindowsDoNotGrow sends a request, upon which gRPC would measure by a ping how fast the network is, and let windows grow.
func TestWindowsDoNotGrow(t *testing.T) {
	t.Parallel()
	h := hoard(t, start(t, nil))
	h.ask(1, strings.Repeat("x", 60_000))
	h.must(h.WritePing(false, [8]byte{}))
	for {
		f, err := h.ReadFrame()
		h.must(err)
		ping, ok := f.(*http2.PingFrame)
		if ok && !ping.IsAck() {
			t.Fatal("the server measures the network, want windows of one size")
		}
		if ok {
			return
		}
	}
}

// TestRequestsThatDoNotEndHoldUpOthersForAMinute has one be received, and another wait for it.
func TestRequestsThatDoNotEndHoldUpOthersForAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receive, end, came := rpcserver.Receive(), make(chan error), func(any) error { return nil }
		var first, second error
		var both sync.WaitGroup
		both.Go(func() { first = receive(t.Context(), func(any) error { return <-end }) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := receive(ctx, came); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request with a second to wait for another = %v, want DeadlineExceeded", err)
		}
		both.Go(func() { second = receive(t.Context(), came) })
		both.Wait()
		if status.Code(first) != codes.InvalidArgument || second != nil {
			t.Errorf("a request that does not end, and one that waits for it = %v, %v, want InvalidArgument and no error", first, second)
		}
		end <- nil // the end of the call ends what reads it
	})
}

// TestAMessageMayWaitForItsTurn has one arrive at once whose turn comes only after more than the minute that it may take to arrive.
func TestAMessageMayWaitForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		encoded, err := proto.Marshal(newMessage("GetBookRequest", "name", large))
		if err != nil {
			t.Fatal(err)
		}
		s, turns := rpcserver.Receiving(arriving{rpcserver.Stream(t.Context()), encoded})
		turns.TakeAll()
		received := make(chan error, 1)
		go func() { received <- s.RecvMsg(newMessage("GetBookRequest")) }()
		time.Sleep(2 * time.Minute) //nolint:forbidigo // the clock of the bubble
		turns.EndAll()
		if err := <-received; err != nil {
			t.Errorf("RecvMsg() of a message whose turn comes late = %v, want no error", err)
		}
	})
}

// arriving is a stream over gRPC's transport with one message.
type arriving struct {
	grpc.ServerStream
	encoded []byte
}

func (a arriving) RecvMsg(message any) error {
	return rpcserver.NewCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(a.encoded)}, message)
}

// begin begins a call with a message of which only the prefix comes.
func (h *hoarder) begin(id uint32, path, token string) {
	h.t.Helper()
	h.call(id, path, token)
	h.must(h.WriteData(id, false, binary.BigEndian.AppendUint32([]byte{0}, 1<<20)))
}

// nextReceived returns the next stream whose window grows, because its request is received.
func (h *hoarder) nextReceived() (id uint32) {
	h.t.Helper()
	for {
		f, err := h.ReadFrame()
		h.must(err)
		if w, ok := f.(*http2.WindowUpdateFrame); ok && w.StreamID != 0 {
			return w.StreamID
		}
	}
}
