package grpcwire

import (
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/peer"
)

// drainGrace is how long a client may take to notice that the server is leaving. Calls that it makes later are refused, and it has to make them again elsewhere.
const drainGrace = 2 * time.Second

// serverConn is the server's end of a connection.
type serverConn struct {
	*transport
	server  *Server
	peer    *peer.Peer
	over    chan struct{} // closed when the connection has ended
	running uint32        // calls whose handler has not returned; guarded by the transport's mu
	fresh   uint32        // those of them that are fresh; guarded by the transport's mu
	calm    sync.Cond     // with the transport's mu: few calls are fresh, or the transport has ended
	asked   bool          // the client was told that the server is leaving; guarded by the transport's mu
	leaves  bool          // no more calls are accepted; guarded by the transport's mu
}

// maxPings is how many pings a client may send per minute while we send it nothing. (While messages arrive, clients use pings to measure their connection.) Servers
// may send any number: some look every second whether the client of a long stream is still there.
const maxPings = 32

func newServerConn(s *Server, conn net.Conn) *serverConn {
	p := &serverConn{server: s, over: make(chan struct{}), peer: &peer.Peer{Addr: conn.RemoteAddr(), LocalAddr: conn.LocalAddr()}}
	p.transport = newTransport(conn, p, requestWindow)
	p.calm.L = &p.mu
	p.allHeld, p.origin, p.maxPings = s.held, s.originOf(conn), maxPings
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendPreface("", http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: s.opts.MaxStreams})
	p.flush()
	return p
}

// headers begins a call.
func (p *serverConn) headers(f *http2.MetaHeadersFrame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.makeRoom()
	id := f.StreamID
	if id%2 == 0 {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if s := p.streams[id]; s != nil {
		return p.trailer(s, f)
	}
	if id <= p.lastID {
		return http2.ConnectionError(http2.ErrCodeStreamClosed)
	}
	switch {
	case len(p.out) > maxUnread: // errors are written without waiting for room
		return errUnread
	case p.leaves || p.err != nil: // the client has been told, and tries elsewhere
		p.lastID = id
		return nil
	case f.Truncated:
		return p.resetUnopened(id, http2.ErrCodeFrameSize)
	case !wellFormed(f):
		return p.resetUnopened(id, http2.ErrCodeProtocol)
	case max(p.running, uint32(len(p.streams))) >= p.server.opts.MaxStreams: //nolint:gosec // G115: no more than that
		return p.resetUnopened(id, http2.ErrCodeRefusedStream)
	}
	s := &stream{header: f.Fields, limit: p.server.opts.MaxRequest}
	p.open(id, s)
	p.opened = id
	p.begin(s)
	return p.add(s, nil, f.StreamEnded())
}

// trailer handles a request that ends with a trailer, which has no meaning in gRPC.
func (p *serverConn) trailer(s *stream, f *http2.MetaHeadersFrame) error {
	switch {
	case s.ended:
		return p.drop(s, http2.ErrCodeStreamClosed)
	case !f.StreamEnded(), len(f.PseudoFields()) > 0:
		return p.drop(s, http2.ErrCodeProtocol)
	}
	return p.add(s, nil, true)
}

// resetUnopened resets a stream that was not opened; mu is held.
func (p *serverConn) resetUnopened(id uint32, code http2.ErrCode) error {
	p.lastID, p.opened = id, id
	_ = p.encoder.WriteRSTStream(id, code)
	return p.flushLater()
}

// begin decides how to handle a call whose header has arrived; mu is held.
func (p *serverConn) begin(s *stream) {
	c := &call{port: p, stream: s}
	c.path, c.refused = readHeader(s.header)
	s.call = c
	s.count()
	switch c.method = p.server.methods[c.path]; {
	case c.refused != nil || c.method != nil:
		s.collect = true
	case p.server.opts.Other == nil:
		p.start(c, c.refuse)
	default:
		s.news = make(chan struct{}, 1)
		p.start(c, c.relay)
	}
}

// requestOver starts the call whose request is complete or, for the reason in failed, never will be; mu is held.
func (p *serverConn) requestOver(s *stream, failed error) {
	s.settle()
	if failed != nil {
		s.in, s.err = nil, failed
	}
	if s.call.refused != nil {
		p.start(s.call, s.call.refuse)
		return
	}
	p.start(s.call, s.call.serve)
}

// start runs the handler of a call in another goroutine; mu is held.
func (p *serverConn) start(c *call, handle func()) {
	p.running++
	p.fresh++
	c.fresh = true
	p.server.run(handle)
}

// finished forgets a call whose handler has returned.
func (p *serverConn) finished(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.call.settle()
	if p.running--; p.running == 0 {
		p.room.Broadcast() // wakes drained
	}
	s.settle()
	if p.streams[s.id] == s {
		delete(p.streams, s.id)
		if !s.ended && p.err == nil { // the client need not send the rest (RFC 9113, section 8.1)
			_ = p.encoder.WriteRSTStream(s.id, http2.ErrCodeNo)
		}
	}
	p.flush()
	p.endIfDrained()
}

// waitForHandlers waits until the handlers of a connection that has ended have returned.
func (p *serverConn) waitForHandlers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running > 0 {
		p.room.Wait()
	}
}

// drain tells the client to make its next calls elsewhere. Calls that are already on their way are accepted, until the client has answered a ping and so has read
// this.
func (p *serverConn) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked || p.err != nil {
		return
	}
	p.asked = true
	_ = p.encoder.WriteGoAway(maxWindow, http2.ErrCodeNo, nil)
	_ = p.encoder.WritePing(false, [8]byte{'l', 'e', 'a', 'v', 'e'})
	_ = p.flushLater() // an error means that the peer does not read, which ends the connection elsewhere
	time.AfterFunc(drainGrace, p.pong)
}

// pong stops accepting calls if the client has read that the server is leaving.
func (p *serverConn) pong() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked || p.leaves || p.err != nil {
		return
	}
	p.leaves = true
	_ = p.encoder.WriteGoAway(p.opened, http2.ErrCodeNo, nil)
	_ = p.flushLater() // as above
	p.endIfDrained()
}

// endIfDrained ends a connection that accepts no more calls once the last one is over; mu is held.
func (p *serverConn) endIfDrained() {
	if p.leaves && p.running == 0 && len(p.streams) == 0 {
		go p.sendGoAway(http2.ErrCodeNo, errClosed)
	}
}

func (p *serverConn) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(errClosed)
}

// goAway does nothing: it limits the streams that the server opens, which are none.
func (*serverConn) goAway(uint32) {}

// setMaxStreams does nothing, for the same reason.
func (*serverConn) setMaxStreams(uint32) {}

func (*serverConn) settingsReceived() {}

// streamCutOff ends a connection that accepts no more calls if the stream was the last one. No handler may have got it, whose end would.
func (p *serverConn) streamCutOff() { p.endIfDrained() }

// unwritable ends the connection: there is nobody to answer.
func (p *serverConn) unwritable(err error) { p.end(err) }

// watch pings a silent client, and ends the connection if it does not answer. It also ends the requests that do not become whole: who sends them is not known yet.
func (p *serverConn) watch() {
	ticks := time.NewTicker(p.server.opts.PingAfter)
	defer ticks.Stop()
	for before := p.frames.Load(); ; before = p.frames.Load() {
		select {
		case <-p.over:
			return
		case <-ticks.C:
		}
		p.endLate()
		if p.frames.Load() == before && !p.answersPing(before) {
			p.close()
		}
	}
}

// maxLooks is how often a request may be found incomplete, once every Options.PingAfter. With the next look it ends.
const maxLooks = 2

// endLate ends the requests that were found incomplete too often.
func (p *serverConn) endLate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.streams {
		switch {
		case !s.collect:
		case s.looks == maxLooks:
			p.requestOver(s, errLate)
		default:
			s.looks++
		}
	}
}

func (p *serverConn) answersPing(before uint64) bool {
	p.mu.Lock()
	_ = p.encoder.WritePing(false, [8]byte{'q', 'u', 'o', 'r', 'a', 't', 'e'})
	p.flush()
	p.mu.Unlock()
	wait := time.NewTimer(p.server.opts.PingTimeout)
	defer wait.Stop()
	select {
	case <-p.over:
	case <-wait.C:
	}
	return p.frames.Load() != before
}
