package grpcwire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

// peer is a client that can send any frames.
type peer struct {
	*http2.Framer
	t    *testing.T
	conn net.Conn
	enc  *hpack.Encoder
	buf  bytes.Buffer
}

// newPeer connects and sends preface and settings.
func newPeer(t *testing.T, addr string) *peer {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil { // nothing here takes as long, not even 90 MiB on a busy machine: it hangs
		t.Fatal(err)
	}
	p := &peer{Framer: http2.NewFramer(conn, conn), t: t, conn: conn}
	p.AllowIllegalWrites = true
	p.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	p.enc = hpack.NewEncoder(&p.buf)
	p.must(io.WriteString(conn, http2.ClientPreface))
	p.must(0, p.WriteSettings())
	return p
}

func (p *peer) must(_ int, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// call sends the header of a call of Echo, with more fields.
func (p *peer) call(id uint32, end bool, more ...string) {
	p.t.Helper()
	p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, EndStream: end, BlockFragment: p.fields(more...)}))
}

func (p *peer) fields(more ...string) []byte {
	p.buf.Reset()
	all := append([]string{":method", "POST", ":scheme", "http", ":path", echo, ":authority", "x", "content-type", "application/grpc", "te", "trailers"}, more...)
	for i := 0; i < len(all); i += 2 {
		p.must(0, p.enc.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]}))
	}
	return p.buf.Bytes()
}

// framed returns a message with its prefix.
func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

// hello is a request.
var hello = framed([]byte("\x0a\x05hello"))

// end reads until the server ends the stream or the connection, and returns how it did.
func (p *peer) end(id uint32) string {
	p.t.Helper()
	for {
		switch f, err := p.ReadFrame(); f := f.(type) {
		case *http2.RSTStreamFrame:
			if f.StreamID == id {
				return "reset " + f.ErrCode.String()
			}
		case *http2.GoAwayFrame:
			return "goaway " + f.ErrCode.String()
		case *http2.MetaHeadersFrame:
			if f.StreamID == id && f.StreamEnded() {
				for _, field := range f.Fields {
					if field.Name == "grpc-status" {
						return "status " + field.Value
					}
				}
			}
		case nil:
			if err == nil || errors.Is(err, io.EOF) || strings.Contains(err.Error(), "reset by peer") {
				return "closed"
			}
			return err.Error()
		}
	}
}

func TestProtocolViolationsAreReportedAndOtherCallsContinue(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, func(o *grpcwire.Options) { o.MaxStreams = 10 })
	tests := map[string]struct {
		do   func(p *peer)
		id   uint32
		want string
	}{
		"nothing wrong":              {func(p *peer) { p.must(0, p.WriteData(1, true, hello)) }, 1, "status 0"},
		"in small pieces":            {func(p *peer) { pieces(p, hello) }, 1, "status 0"},
		"with padding":               {func(p *peer) { p.must(0, p.WriteDataPadded(1, true, hello, make([]byte, 200))) }, 1, "status 0"},
		"with a trailer":             {func(p *peer) { p.must(0, p.WriteData(1, false, hello)); p.trailer(1, true, "x") }, 1, "status 0"},
		"a trailer with a path":      {func(p *peer) { p.must(0, p.WriteData(1, false, hello)); p.trailer(1, true, ":path") }, 1, "reset PROTOCOL_ERROR"},
		"a trailer that is none":     {func(p *peer) { p.must(0, p.WriteData(1, false, hello)); p.trailer(1, true, "Upper") }, 1, "reset PROTOCOL_ERROR"},
		"no message":                 {func(p *peer) { p.must(0, p.WriteData(1, true, nil)) }, 1, "status 13"},
		"half a message":             {func(p *peer) { p.must(0, p.WriteData(1, true, hello[:8])) }, 1, "status 13"},
		"two messages":               {func(p *peer) { p.must(0, p.WriteData(1, true, slices.Concat(hello, hello))) }, 1, "status 13"},
		"compressed":                 {func(p *peer) { p.must(0, p.WriteData(1, true, append([]byte{1}, hello[1:]...))) }, 1, "status 12"},
		"no protobuf":                {func(p *peer) { p.must(0, p.WriteData(1, true, framed([]byte("\xff\xff")))) }, 1, "status 3"},
		"a length of four gigabyte":  {func(p *peer) { p.must(0, p.WriteData(1, true, []byte{0, 255, 255, 255, 255, 1})) }, 1, "status 8"},
		"another length than said":   {func(p *peer) { p.call(3, false, "content-length", "7"); p.must(0, p.WriteData(3, true, hello)) }, 3, "reset PROTOCOL_ERROR"},
		"a timeout that is none":     {func(p *peer) { p.call(3, false, "grpc-timeout", "soon"); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"an empty timeout":           {func(p *peer) { p.call(3, false, "grpc-timeout", ""); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"a timeout without a unit":   {func(p *peer) { p.call(3, false, "grpc-timeout", "5"); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"a timeout of another unit":  {func(p *peer) { p.call(3, false, "grpc-timeout", "5x"); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"a timeout of nine digits":   {func(p *peer) { p.call(3, false, "grpc-timeout", "123456789S"); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"neither compressed nor not": {func(p *peer) { p.must(0, p.WriteData(1, true, append([]byte{2}, hello[1:]...))) }, 1, "status 13"},
		"another transfer coding":    {func(p *peer) { p.call(3, true, "te", "gzip") }, 3, "reset PROTOCOL_ERROR"},
		"metadata that is none":      {func(p *peer) { p.call(3, false, "x-bin", "%%%"); p.must(0, p.WriteData(3, true, hello)) }, 3, "status 13"},
		"a header of a connection":   {func(p *peer) { p.call(3, true, "transfer-encoding", "chunked") }, 3, "reset PROTOCOL_ERROR"},
		"a name in upper case":       {func(p *peer) { p.call(3, true, "Upper", "x") }, 3, "reset PROTOCOL_ERROR"},
		"a line break":               {func(p *peer) { p.call(3, true, "x", "a\r\nb: c") }, 3, "reset PROTOCOL_ERROR"},
		"a path twice":               {func(p *peer) { p.call(3, true, ":path", "/x") }, 3, "reset PROTOCOL_ERROR"},
		"an even stream":             {func(p *peer) { p.call(2, true) }, 2, "goaway PROTOCOL_ERROR"},
		"a stream of the past":       {func(p *peer) { p.call(9, true); p.call(7, true) }, 7, "goaway STREAM_CLOSED"},
		"data of no stream":          {func(p *peer) { p.must(0, p.WriteData(5, true, hello)) }, 5, "goaway PROTOCOL_ERROR"},
		"a reset of no stream":       {func(p *peer) { p.must(0, p.WriteRSTStream(5, http2.ErrCodeCancel)) }, 5, "goaway PROTOCOL_ERROR"},
		"a push":                     {func(p *peer) { p.push() }, 1, "goaway PROTOCOL_ERROR"},
		"a window of nothing":        {func(p *peer) { p.must(0, p.WriteWindowUpdate(0, 0)) }, 1, "goaway PROTOCOL_ERROR"},
		"a window too large":         {func(p *peer) { p.must(0, p.WriteWindowUpdate(0, 1<<31-1)) }, 1, "goaway FLOW_CONTROL_ERROR"},
		"a stream's too large":       {func(p *peer) { p.must(0, p.WriteWindowUpdate(1, 1<<31-1)) }, 1, "reset FLOW_CONTROL_ERROR"},
		"a frame too large":          {func(p *peer) { p.must(0, p.WriteData(1, true, make([]byte, 20<<10))) }, 1, "goaway FRAME_SIZE_ERROR"},
		"a header without end":       {func(p *peer) { endless(p) }, 3, "goaway PROTOCOL_ERROR"},
		"a header too long":          {func(p *peer) { long(p) }, 3, "reset FRAME_SIZE_ERROR"},
		"settings of the impossible": {func(p *peer) {
			p.must(0, p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}))
		}, 1, "goaway FLOW_CONTROL_ERROR"},
		"settings that widen a window too much": {func(p *peer) {
			p.must(0, p.WriteWindowUpdate(1, 1<<31-1-65535))
			p.must(0, p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 65536}))
		}, 1, "goaway FLOW_CONTROL_ERROR"},
		"more than a request is": {func(p *peer) { flood(p, maxRequest+100<<10) }, 1, "status 8"},
		"one call too many":      {func(p *peer) { calls(p, 11) }, 21, "reset REFUSED_STREAM"},
		"pings and more pings":   {func(p *peer) { pings(p, 100) }, 1, "goaway ENHANCE_YOUR_CALM"},
		"calls, and none meant":  {func(p *peer) { rapid(p, 2000) }, 4001, "status 0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, addr)
			p.call(1, false)
			test.do(p)
			if got := p.end(test.id); got != test.want {
				t.Errorf("the server ended it with %q, want %q", got, test.want)
			}
			if err := dial(t, addr).Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
				t.Errorf("Echo() of another = %v, want no error", err)
			}
		})
	}
}

func pieces(p *peer, b []byte) {
	for i := range b {
		p.must(0, p.WriteData(1, i == len(b)-1, b[i:i+1]))
	}
}

func (p *peer) trailer(id uint32, end bool, name string) {
	p.buf.Reset()
	p.must(0, p.enc.WriteField(hpack.HeaderField{Name: name, Value: "y"}))
	p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, EndStream: end, BlockFragment: p.buf.Bytes()}))
}

func (p *peer) push() {
	p.must(0, p.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true, BlockFragment: p.fields()}))
}

func endless(p *peer) {
	p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: p.fields()}))
	for range 1000 {
		p.buf.Reset()
		_ = p.enc.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 8<<10), Sensitive: true})
		if p.WriteContinuation(3, false, p.buf.Bytes()) != nil {
			return // it was cut off
		}
	}
}

func long(p *peer) {
	const most = 16 << 10
	var more []string
	for i := range 66 {
		more = append(more, "x", strconv.Itoa(i)+strings.Repeat("y", 1<<10))
	}
	block := p.fields(more...)
	p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, EndStream: true, BlockFragment: block[:most], EndHeaders: len(block) <= most}))
	for block = block[most:]; len(block) > 0; block = block[min(most, len(block)):] {
		p.must(0, p.WriteContinuation(3, len(block) <= most, block[:min(most, len(block))]))
	}
}

func flood(p *peer, n int) {
	p.must(0, p.WriteData(1, false, append([]byte{0, 0, 15, 255, 0}, make([]byte, 10)...)))
	for ; n > 0; n -= 16 << 10 {
		if p.WriteData(1, false, make([]byte, 16<<10)) != nil {
			return // it was cut off
		}
	}
}

func calls(p *peer, n int) {
	for i := range n - 1 {
		p.call(uint32(3+2*i), false)
	}
}

func pings(p *peer, n int) {
	for range n {
		if p.WritePing(false, [8]byte{1}) != nil {
			return // it was cut off
		}
	}
}

// TestAClientThatPingsTooMuchIsToldSo in the words that have clients of gRPC ping less often on their next connection.
func TestAClientThatPingsTooMuchIsToldSo(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	p.call(1, false)
	pings(p, 100)
	for {
		f, err := p.ReadFrame()
		p.must(0, err)
		if f, ok := f.(*http2.GoAwayFrame); ok {
			if got := string(f.DebugData()); got != "too_many_pings" {
				t.Errorf("the server ended it with %q, want %q", got, "too_many_pings")
			}
			return
		}
	}
}

func rapid(p *peer, n int) {
	p.must(0, p.WriteRSTStream(1, http2.ErrCodeCancel))
	for i := 1; i < n; i++ {
		p.call(uint32(1+2*i), false)
		p.must(0, p.WriteRSTStream(uint32(1+2*i), http2.ErrCodeCancel))
	}
	p.call(uint32(1+2*n), false)
	p.must(0, p.WriteData(uint32(1+2*n), true, hello))
}

func TestAPeerThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	p.call(1, false)
	for range 1 << 23 { // the buffers of both ends may hold a million
		if p.WriteSettings() != nil {
			return
		}
	}
	t.Error("eight million settings were answered that nobody read, want the connection to end")
}

func TestASilentClientIsCutOffUnlessItAnswersPings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := grpcwire.NewServer(grpcwire.Options{
			Logger: slog.New(slog.DiscardHandler), MaxRequest: maxRequest, MaxStreams: 100, Workers: 4,
			Connect: time.Second, PingAfter: time.Minute, PingTimeout: time.Second,
		})
		s.RegisterService(&echoService, nil)
		connect := func(context.Context, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go s.Serve(ours)
			return theirs, nil
		}
		polite, err := grpc.NewClient("passthrough:///server", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(connect))
		if err != nil {
			t.Fatal(err)
		}
		if err := polite.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
			t.Fatalf("Echo() = %v, want no error", err)
		}
		var words bytes.Buffer
		p := &peer{Framer: http2.NewFramer(&words, nil), t: t}
		p.enc = hpack.NewEncoder(&p.buf)
		words.WriteString(http2.ClientPreface)
		p.must(0, p.WriteSettings())
		p.call(1, false)
		silent, _ := connect(t.Context(), "") // returns no error
		begun, cut := time.Now(), make(chan time.Duration, 1)
		go func() {
			_, _ = io.Copy(io.Discard, silent)
			cut <- time.Since(begun)
		}()
		p.must(silent.Write(words.Bytes()))
		if after := <-cut; after > 2*time.Minute+time.Second {
			t.Errorf("the connection of who is silent ended after %s, want at most 2m1s", after)
		}
		begun = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := polite.Invoke(ctx, echo, text("wait"), &wrapperspb.BytesValue{}); status.Code(err) != codes.DeadlineExceeded || time.Since(begun) < 10*time.Minute {
			t.Errorf("a call that takes long = %v after %s, want that it lasts until its deadline", err, time.Since(begun))
		}
		if got := polite.GetState(); got != connectivity.Ready {
			t.Errorf("the connection of who answers pings is %s, want READY", got)
		}
		if err := polite.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown() = %v, want no error", err)
		}
	})
}

func TestDisconnectedClientsLeaveNoGoroutines(t *testing.T) { //nolint:paralleltest // it counts goroutines
	_, addr := serve(t, nil)
	if err := dial(t, addr).Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 100 {
		p := newPeer(t, addr)
		p.call(1, false)
		p.call(3, false)
		p.must(0, p.WriteData(3, true, framed([]byte("\x0a\x05wait "))))
		p.must(0, p.WriteData(1, false, hello[:3]))
		if err := p.conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for give := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+5; {
		if time.Now().After(give) {
			t.Fatalf("%d goroutines, want about %d as before", runtime.NumGoroutine(), before)
		}
		<-time.After(10 * time.Millisecond)
	}
}
