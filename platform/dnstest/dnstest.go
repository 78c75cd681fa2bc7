// Package dnstest is a name server for tests that needs no network.
package dnstest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// NewResolver returns a resolver that knows the addresses of some names: each look-up of a name takes the next of its answers, and the last stays. There is no
// other name.
func NewResolver(t testing.TB, answers map[string][][]string) *net.Resolver {
	t.Helper()
	s := &server{answers: answers, asked: make(map[string]int)}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		serving.Go(func() { s.serve(far) })
		return near, nil
	}}
}

type server struct {
	answers map[string][][]string

	mu    sync.Mutex
	asked map[string]int // look-ups of type A, by name; guarded by mu
}

// serve answers the questions of one connection in the TCP framing of RFC 1035 section 4.2.2.
func (s *server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }() // the resolver may have closed its end first
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		raw := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, raw); err != nil {
			return
		}
		var query dnsmessage.Message
		if err := query.Unpack(raw); err != nil || len(query.Questions) == 0 {
			return
		}
		packed, err := s.answer(query).Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)); err != nil { //nolint:gosec // G115: a handful of addresses
			return
		}
	}
}

func (s *server) answer(query dnsmessage.Message) *dnsmessage.Message {
	q := query.Questions[0]
	out := &dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true}, Questions: query.Questions[:1]}
	list, ok := s.next(strings.TrimSuffix(strings.ToLower(q.Name.String()), "."), q.Type == dnsmessage.TypeA)
	if !ok {
		out.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range list {
		addr := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: dnsmessage.ClassINET}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return out
}

// next returns the addresses of this look-up, which asks for A and AAAA at the same time: both get one list.
func (s *server) next(name string, isA bool) (list []string, ok bool) {
	lists := s.answers[name]
	if len(lists) == 0 {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := min(s.asked[name], len(lists)-1)
	if isA {
		s.asked[name]++
	}
	return lists[turn], true
}
