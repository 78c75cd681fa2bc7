package rpcserver_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/rpcserver"
)

// hoarder is a client over gRPC that asks and does not let the server answer.
type hoarder struct {
	*http2.Framer
	conn  net.Conn
	t     *testing.T
	block bytes.Buffer
	table *hpack.Encoder
}

func hoard(t *testing.T, r *running) *hoarder {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.conn.Target())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	h := &hoarder{Framer: http2.NewFramer(conn, conn), conn: conn, t: t}
	h.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	h.table = hpack.NewEncoder(&h.block)
	_, err = io.WriteString(conn, http2.ClientPreface)
	h.must(err)
	h.must(h.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	return h
}

func (h *hoarder) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// call begins a call with a token.
func (h *hoarder) call(id uint32, path, token string) {
	h.t.Helper()
	h.block.Reset()
	for _, f := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", path}, {":authority", "x"}, {"content-type", "application/grpc"}, {"authorization", "Bearer " + token},
	} {
		h.must(h.table.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}))
	}
	h.must(h.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, BlockFragment: h.block.Bytes()}))
}

// ask calls GetBook.
func (h *hoarder) ask(id uint32, name string) {
	h.t.Helper()
	h.call(id, getBook, readerToken)
	message, err := proto.Marshal(newMessage("GetBookRequest", "name", name))
	h.must(err)
	message = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	for ; len(message) > 16<<10; message = message[16<<10:] {
		h.must(h.WriteData(id, false, message[:16<<10]))
	}
	h.must(h.WriteData(id, true, message))
}

// next returns the next call that ends, because it was refused or its answer was read, and its status.
func (h *hoarder) next() (id uint32, status string) {
	h.t.Helper()
	for {
		f, err := h.ReadFrame()
		h.must(err)
		if m, ok := f.(*http2.MetaHeadersFrame); ok && m.StreamEnded() {
			for _, field := range m.Fields {
				if field.Name == "grpc-status" {
					status = field.Value
				}
			}
			return m.StreamID, status
		}
	}
}

// refusal waits for the header of an answer, and returns why it is none, or "".
func (h *hoarder) refusal(id uint32) (why string) {
	h.t.Helper()
	for {
		f, err := h.ReadFrame()
		h.must(err)
		m, ok := f.(*http2.MetaHeadersFrame)
		if !ok || m.StreamID != id {
			continue
		}
		for _, field := range m.Fields {
			if field.Name == "grpc-message" {
				why = field.Value
			}
		}
		return why
	}
}

// TestAnswersThatNobodyReadsAreBounded asks for more than is kept for a caller: half of 64 times the largest request.
func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	h := hoard(t, r)
	name := strings.Repeat("x", 60_000)
	const most = 2 * 35
	for id := uint32(1); id < most; id += 2 {
		h.ask(id, name)
	}
	refused, ended := h.next()
	if ended != "8" {
		t.Errorf("call %d ended with %s, want 8 (ResourceExhausted) for one of 35 answers that are not read", refused, ended)
	}
	if answer, text := r.do(t, http.MethodGet, "/v1/books/any", "", nil); answer.StatusCode != http.StatusOK {
		t.Errorf("a small answer meanwhile = %d %s, want 200", answer.StatusCode, text)
	}
	last := uint32(1)
	if refused == last {
		last = 3
	}
	h.must(h.WriteWindowUpdate(last, 100_000))
	if id, ended := h.next(); id != last || ended != "0" {
		t.Errorf("a call whose answer is read = %d with status %s, want %d with status 0", id, ended, last)
	}
}

func TestSmallAnswersThatSomebodyDoesNotReadAreFew(t *testing.T) {
	t.Parallel()
	hoardSmall(t, start(t, nil), getBook, readerToken, "\n\x01b", 256)
}

func TestSmallAnswersThatAnybodyDoesNotReadAreFew(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 }) // by which a direct connection may have more
	hoardSmall(t, r, grpc_health_v1.Health_Check_FullMethodName, "", "", 1024)
}

// hoardSmall asks for more than the most small answers that are kept for somebody, or anybody from an address.
func hoardSmall(t *testing.T, r *running, path, token, request string, most uint32) {
	t.Helper()
	h := hoard(t, r)
	h.must(h.conn.SetDeadline(time.Now().Add(2 * time.Minute))) // for a thousand calls, one after the other
	h.ask(1, "first")                                           // which may bring the connection elsewhere
	id, refused := uint32(3), ""
	for ; refused == "" && id < 2*most+41; id += 2 {
		h.call(id, path, token)
		h.must(h.WriteData(id, true, append([]byte{0, 0, 0, 0, byte(len(request))}, request...)))
		refused = h.refusal(id)
	}
	if id < most || !strings.Contains(refused, "does not read") && !strings.Contains(refused, "calls open") {
		t.Errorf("call %d of those whose answers are not read = %q, want that they are too many after %d", id/2, refused, most)
	}
	if _, err := grpc_health_v1.NewHealthClient(r.Conn()).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Errorf("a call of anybody from another address = %v, want no error", err)
	}
}

// TestAnswersThatAreReadCountNoLonger has some of all sizes.
func TestAnswersThatAreReadCountNoLonger(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for _, size := range []int{1, 1000, 3000, 60_000} {
		if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", strings.Repeat("x", size)), newMessage("Book")); err != nil {
			t.Errorf("GetBook(%d bytes) = %v, want no error", size, err)
		}
		if _, err := grpc_health_v1.NewHealthClient(r.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Errorf("Check() = %v, want no error", err)
		}
	}
	for give := time.Now().Add(time.Minute); r.Unread() > 0 && time.Now().Before(give); {
		runtime.Gosched()
	}
	if n := r.Unread(); n > 0 {
		t.Errorf("%d bytes are unread after all answers were read, want none", n)
	}
}

// TestAnswersToABrokenConnectionAreForgotten breaks it before the answers are read, which gRPC does not tell.
func TestAnswersToABrokenConnectionAreForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	h := hoard(t, r)
	for id := uint32(1); id < 11; id += 2 {
		h.ask(id, strings.Repeat("x", 60_000))
	}
	give := time.Now().Add(time.Minute)
	for r.Unread() < 5*60_000 && time.Now().Before(give) {
		runtime.Gosched()
	}
	if n := r.Unread(); n < 5*60_000 {
		t.Fatalf("%d bytes are unread, want five answers", n)
	}
	_ = h.conn.Close()
	for r.Unread() > 0 && time.Now().Before(give) {
		runtime.GC()
	}
	if n := r.Unread(); n > 0 {
		t.Errorf("%d bytes are unread after their connection broke, want none", n)
	}
}
