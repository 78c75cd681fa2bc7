package grpcwire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/grpcwire"
)

// accepting runs serve for each connection, of which number is 1 for the first, and returns a Client for them.
func accepting(t *testing.T, serve func(conn net.Conn, number int)) *grpcwire.Client {
	t.Helper()
	l := listen(t)
	go func() {
		for number := 1; ; number++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go serve(conn, number)
		}
	}()
	return clientOf(t, l.Addr().String())
}

// answering runs a server that answers each call with the frames that do sends, and returns a Client for it. Connections after the first get a correct server.
func answering(t *testing.T, do func(p *peer, id uint32)) *grpcwire.Client {
	t.Helper()
	return accepting(t, func(conn net.Conn, number int) {
		act := do
		if number > 1 {
			act = func(p *peer, id uint32) { p.answer(id); p.status(id, "0") }
		}
		answerAll(t, conn, act)
	})
}

func answerAll(t *testing.T, conn net.Conn, do func(p *peer, id uint32)) {
	t.Helper()
	replyAll(t, conn, func(p *peer, f http2.Frame) {
		if f, ok := f.(*http2.DataFrame); ok && f.StreamEnded() {
			do(p, f.StreamID)
		}
	})
}

// replying runs a server that calls do for each frame, and returns a Client for it.
func replying(t *testing.T, do func(p *peer, f http2.Frame)) *grpcwire.Client {
	t.Helper()
	return accepting(t, func(conn net.Conn, _ int) { replyAll(t, conn, do) })
}

func replyAll(t *testing.T, conn net.Conn, do func(p *peer, f http2.Frame)) {
	t.Helper()
	p := &peer{Framer: http2.NewFramer(conn, conn), t: t, conn: conn}
	p.AllowIllegalWrites = true
	p.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	p.enc = hpack.NewEncoder(&p.buf)
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil || p.WriteSettings() != nil {
		return
	}
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return
		}
		do(p, f)
	}
}

func (p *peer) head(id uint32, end bool, pairs ...string) {
	p.buf.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, EndStream: end, BlockFragment: p.buf.Bytes()}) // the client may be gone
}

func (p *peer) begin(id uint32) {
	p.head(id, false, ":status", "200", "content-type", "application/grpc")
}

func (p *peer) answer(id uint32) {
	p.begin(id)
	_ = p.WriteData(id, false, hello) // the client may be gone
}

func (p *peer) status(id uint32, code string) { p.head(id, true, "grpc-status", code) }

func TestAServerThatBreaksTheRulesIsAnError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do   func(p *peer, id uint32)
		want codes.Code
	}{
		"nothing wrong":            {func(p *peer, id uint32) { p.answer(id); p.status(id, "0") }, codes.OK},
		"informational first":      {func(p *peer, id uint32) { p.head(id, false, ":status", "103"); p.answer(id); p.status(id, "0") }, codes.OK},
		"pings before the answer":  {func(p *peer, id uint32) { pings(p, 100); p.answer(id); p.status(id, "0") }, codes.OK},
		"no header":                {func(p *peer, id uint32) { p.head(id, true, ":status", "200", "grpc-status", "5") }, codes.NotFound},
		"no answer":                {func(p *peer, id uint32) { p.begin(id); p.status(id, "0") }, codes.Internal},
		"two answers":              {func(p *peer, id uint32) { p.answer(id); _ = p.WriteData(id, false, hello); p.status(id, "0") }, codes.Internal},
		"no status":                {func(p *peer, id uint32) { p.answer(id); p.head(id, true, "x", "y") }, codes.Unknown},
		"no trailer":               {func(p *peer, id uint32) { p.begin(id); _ = p.WriteData(id, true, hello) }, codes.Unknown},
		"half an answer":           {func(p *peer, id uint32) { p.begin(id); _ = p.WriteData(id, true, hello[:7]) }, codes.Unknown},
		"half an answer and why":   {func(p *peer, id uint32) { p.begin(id); _ = p.WriteData(id, false, hello[:7]); p.status(id, "10") }, codes.Aborted},
		"half an answer, all fine": {func(p *peer, id uint32) { p.begin(id); _ = p.WriteData(id, false, hello[:7]); p.status(id, "0") }, codes.Internal},
		"a status that is none":    {func(p *peer, id uint32) { p.answer(id); p.status(id, "fine") }, codes.Internal},
		"a gateway's error": {func(p *peer, id uint32) {
			p.head(id, false, ":status", "502")
			_ = p.WriteData(id, true, []byte("<html>"))
		}, codes.Unavailable},
		"a gateway's error without end": {func(p *peer, id uint32) {
			p.head(id, false, ":status", "503", "content-type", "text/plain")
			_ = p.WriteData(id, false, []byte("no"))
		}, codes.Unavailable},
		"a web page":        {func(p *peer, id uint32) { p.head(id, false, ":status", "200", "content-type", "text/html") }, codes.Unknown},
		"a proxy's refusal": {func(p *peer, id uint32) { p.head(id, true, ":status", "403") }, codes.PermissionDenied},
		"compressed": {func(p *peer, id uint32) {
			p.begin(id)
			_ = p.WriteData(id, false, []byte{1, 0, 0, 0, 0})
			p.status(id, "0")
		}, codes.Unimplemented},
		"larger than is taken":      {func(p *peer, id uint32) { tooMuch(p, id) }, codes.ResourceExhausted},
		"reset":                     {func(p *peer, id uint32) { _ = p.WriteRSTStream(id, http2.ErrCodeInternal) }, codes.Internal},
		"reset behind the answer":   {func(p *peer, id uint32) { p.answer(id); p.status(id, "0"); _ = p.WriteRSTStream(id, http2.ErrCodeNo) }, codes.OK},
		"a header too long":         {func(p *peer, id uint32) { tooLong(p, id) }, codes.ResourceExhausted},
		"two headers":               {func(p *peer, id uint32) { p.begin(id); p.begin(id) }, codes.Internal},
		"no connection any more":    {func(p *peer, _ uint32) { _ = p.conn.Close() }, codes.Unavailable},
		"a stream of the server":    {func(p *peer, _ uint32) { p.begin(2) }, codes.Unavailable},
		"data of another stream":    {func(p *peer, id uint32) { _ = p.WriteData(id+2, false, hello) }, codes.Unavailable},
		"not HTTP/2":                {func(p *peer, _ uint32) { _, _ = io.WriteString(p.conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }, codes.Unavailable},
		"refused, which is no harm": {func(p *peer, id uint32) { refuseOnce(p, id) }, codes.OK},
		"leaving without the call":  {func(p *peer, id uint32) { _ = p.WriteGoAway(id-1, http2.ErrCodeNo, nil) }, codes.OK},
		"leaving with the call":     {func(p *peer, id uint32) { _ = p.WriteGoAway(id, http2.ErrCodeNo, nil); p.answer(id); p.status(id, "0") }, codes.OK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, test.do)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := ask(t, echo, "hello")
			r.MaxBytes = 1 << 20
			_, err := c.Invoke(ctx, r)
			if status.Code(err) != test.want {
				t.Errorf("Invoke() = %v, want %v", err, test.want)
			}
			cutOff := []string{"no status", "no trailer", "reset", "two headers", "half an answer"}
			if got := errors.Is(err, grpcwire.ErrCutOff); got != slices.Contains(cutOff, name) {
				t.Errorf("Invoke() = %v, which says that it was cut off: %t", err, got)
			}
			if got := errors.Is(err, grpcwire.ErrTooLarge); got != slices.Contains([]string{"larger than is taken", "a header too long"}, name) {
				t.Errorf("Invoke() = %v, which says that it is too large: %t", err, got)
			}
			if errors.Is(err, grpcwire.ErrNotBegun) {
				t.Errorf("Invoke() = %v, which says that the call was not begun, want that nobody knows", err)
			}
			want := test.want
			if name == "no answer" || name == "two answers" { // which a stream may have
				want = codes.OK
			}
			if err := answering(t, test.do).Stream(ctx, r, func([]byte) error { return nil }); status.Code(err) != want {
				t.Errorf("Stream() = %v, want %v", err, want)
			}
		})
	}
}

func tooLong(p *peer, id uint32) {
	const last = 61
	for i := range last + 1 {
		p.buf.Reset()
		_ = p.enc.WriteField(hpack.HeaderField{Name: "x", Value: strconv.Itoa(i) + strings.Repeat("y", 1<<10)})
		if i == 0 {
			_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.buf.Bytes()})
			continue
		}
		_ = p.WriteContinuation(id, i == last, p.buf.Bytes()) // a little too much: for more the connection ends
	}
}

func tooMuch(p *peer, id uint32) {
	p.begin(id)
	_ = p.WriteData(id, false, []byte{0, 1, 0, 0, 0}) // the client may be gone
}

func refuseOnce(p *peer, id uint32) {
	if id == 1 {
		_ = p.WriteRSTStream(id, http2.ErrCodeRefusedStream)
		return
	}
	p.answer(id)
	p.status(id, "0")
}

func TestPaddingCostsNoWindow(t *testing.T) {
	t.Parallel()
	const times = 1000 // and each with 255 bytes of padding: four windows, while what is in them fits into a half, however late it is taken
	c := answering(t, func(p *peer, id uint32) {
		p.begin(id)
		for range times {
			_ = p.WriteDataPadded(id, false, hello, make([]byte, 255)) // the client may be gone
		}
		p.status(id, "0")
	})
	n := 0
	if err := c.Stream(t.Context(), ask(t, count, "1"), func([]byte) error { n++; return nil }); err != nil || n != times {
		t.Errorf("Stream() = %v after %d answers, want all %d", err, n, times)
	}
}

func TestWhatComesBehindACallThatWasGivenUpIsIgnored(t *testing.T) {
	t.Parallel()
	resets, leaves := make(chan uint32, 100), make(chan uint32, 1)
	c := replying(t, func(p *peer, f http2.Frame) {
		switch f := f.(type) {
		case *http2.DataFrame:
			p.answer(f.StreamID)
		case *http2.RSTStreamFrame:
			resets <- f.StreamID
			for range 10 {
				_ = p.WriteData(f.StreamID, false, hello) // it was on its way
			}
			_ = p.WritePing(false, [8]byte{})
		case *http2.PingFrame:
			_ = p.WriteWindowUpdate(0, 1<<31-1) // more than a window is
		case *http2.GoAwayFrame:
			leaves <- f.LastStreamID
		}
	})
	enough := errors.New("enough")
	if err := c.Stream(t.Context(), ask(t, count, "1"), func([]byte) error { return enough }); err != enough { //nolint:errorlint // as it is
		t.Fatalf("Stream() = %v, want the error of who reads", err)
	}
	if last := <-leaves; last != 0 || len(resets) != 1 {
		t.Errorf("the client reset %d times and left behind stream %d of the server, want once and 0", len(resets), last)
	}
}

func TestAServerCannotSendMoreThanIsAskedFor(t *testing.T) {
	t.Parallel()
	refused := make(chan struct{})
	c := replying(t, func(p *peer, f http2.Frame) {
		switch f := f.(type) {
		case *http2.DataFrame:
			p.begin(f.StreamID)
			for range 100 {
				_ = p.WriteData(f.StreamID, false, append([]byte{0, 0, 0, 15, 0}, make([]byte, 15<<8)...)) // the client may be gone
			}
			p.status(f.StreamID, "0")
		case *http2.RSTStreamFrame:
			close(refused)
		}
	})
	n := 0
	err := c.Stream(t.Context(), ask(t, count, "1"), func([]byte) error {
		if n++; n == 1 {
			select {
			case <-refused: // the reader gets no more until then
			case <-time.After(time.Minute):
			}
		}
		return nil
	})
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "FLOW_CONTROL") || n >= 100 {
		t.Errorf("Stream() = %v after %d answers, want FLOW_CONTROL_ERROR", err, n)
	}
}
