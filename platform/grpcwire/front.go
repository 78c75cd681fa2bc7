package grpcwire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// front is a listener for the connections that are not for a Server.
type front struct {
	net.Listener
	server *Server
	begin  sync.Once
	others chan arrival
	closed chan struct{}
	once   sync.Once
}

// arrival is what Accept returns.
type arrival struct {
	conn net.Conn
	err  error
}

// Front puts the server in front of a listener. The server itself serves connections that begin with an uncompressed call of a registered method. All others are
// accepted from the returned listener, with all bytes that they have sent.
func (s *Server) Front(l net.Listener) net.Listener {
	if len(s.methods) == 0 {
		return l
	}
	return &front{Listener: l, server: s, others: make(chan arrival), closed: make(chan struct{})}
}

// Accept returns the next connection that is not for the server.
func (f *front) Accept() (net.Conn, error) {
	f.begin.Do(func() {
		for range f.server.opts.Workers {
			go f.server.worker()
		}
		go f.accept()
	})
	select {
	case a := <-f.others:
		return a.conn, a.err
	case <-f.closed:
		return nil, net.ErrClosed
	}
}

// Close stops accepting connections.
func (f *front) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.Listener.Close()
}

func (f *front) accept() {
	for {
		conn, err := f.Listener.Accept()
		if err == nil {
			go f.assign(conn)
			continue
		}
		if taken := f.handOver(arrival{err: err}); !taken || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// handOver gives an arrival to whoever accepts, and reports whether somebody did: nobody does once the front is closed.
func (f *front) handOver(a arrival) (taken bool) {
	select {
	case f.others <- a:
		return true
	case <-f.closed:
		if a.conn != nil {
			_ = a.conn.Close()
		}
		return false
	}
}

// assign decides by its first call whether a connection is for the server. One that is silent, or sends anything odd, is not.
func (f *front) assign(conn net.Conn) {
	said := &recorder{Conn: conn}
	ours := f.server.beginsWithKnownCall(said)
	if err := conn.SetDeadline(time.Time{}); err != nil {
		_ = conn.Close() // the front is closed
		return
	}
	if ours {
		f.server.serve(&replay{Conn: conn, said: said.buf.Bytes()[len(http2.ClientPreface):]})
		return
	}
	f.handOver(arrival{conn: &replay{Conn: conn, said: said.buf.Bytes()}})
}

// beginsWithKnownCall reports whether a connection begins with a call of a registered method. It sends settings, because clients wait for those before they call.
func (s *Server) beginsWithKnownCall(conn *recorder) bool {
	_ = conn.SetDeadline(time.Now().Add(s.opts.Connect)) // on a closed connection the read fails
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil || string(preface) != http2.ClientPreface {
		return false
	}
	framer := newFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		return false
	}
	const most = 8 // frames before the call: settings, their acknowledgement, a window
	for range most {
		switch frame, err := framer.ReadFrame(); f := frame.(type) {
		case *http2.SettingsFrame, *http2.WindowUpdateFrame:
		case *http2.MetaHeadersFrame:
			_, known := s.methods[f.PseudoValue("path")]
			return err == nil && known && !compresses(f)
		default:
			return false
		}
	}
	return false
}

// compresses reports whether a call announces compression.
func compresses(f *http2.MetaHeadersFrame) bool {
	return slices.ContainsFunc(f.RegularFields(), func(h hpack.HeaderField) bool { return h.Name == "grpc-encoding" && h.Value != "identity" })
}

// maxRecorded is the number of bytes by which a connection has to show whose it is: the largest header, and what comes before it. A header may come in any number of
// empty pieces.
const maxRecorded = maxHeaderBytes + 16<<10

var errNoCall = errors.New("there is no call")

// recorder keeps all bytes that are read from a connection, which are not many more than maxRecorded.
type recorder struct {
	net.Conn
	buf bytes.Buffer
}

// Read reads, and keeps what it has read.
func (r *recorder) Read(p []byte) (int, error) {
	if r.buf.Len() > maxRecorded {
		return 0, errNoCall
	}
	n, err := r.Conn.Read(p)
	r.buf.Write(p[:n])
	return n, err
}

// replay is a connection that first returns the recorded bytes, and then the rest.
type replay struct {
	net.Conn
	said []byte
}

// Read returns the recorded bytes, and then reads from the connection.
func (r *replay) Read(p []byte) (int, error) {
	if len(r.said) == 0 {
		return r.Conn.Read(p)
	}
	n := copy(p, r.said)
	if r.said = r.said[n:]; len(r.said) == 0 {
		r.said = nil
	}
	return n, nil
}

// CloseWrite closes the writing side, if the connection supports that.
func (r *replay) CloseWrite() error {
	if c, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}
