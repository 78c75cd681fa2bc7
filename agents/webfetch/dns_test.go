package webfetch_test

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

// newResolver returns a resolver that asks no network: each look-up of a name takes the next of its answers, and the last stays.
func newResolver(t *testing.T, answers map[string][][]string) *net.Resolver {
	t.Helper()
	names := &names{answers: answers, asked: map[string]int{}}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		serving.Go(func() { names.serve(server) })
		return client, nil
	}}
}

type names struct {
	mu      sync.Mutex
	answers map[string][][]string // guarded by mu
	asked   map[string]int        // look-ups of type A; guarded by mu
}

// serve answers the questions of one connection in the TCP framing of RFC 1035 section 4.2.2.
func (n *names) serve(conn net.Conn) {
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
		packed, err := n.answer(query).Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)); err != nil {
			return
		}
	}
}

func (n *names) answer(query dnsmessage.Message) *dnsmessage.Message {
	q := query.Questions[0]
	out := &dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true}, Questions: query.Questions[:1]}
	n.mu.Lock()
	defer n.mu.Unlock()
	name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	list := n.answers[name]
	if len(list) == 0 {
		out.RCode = dnsmessage.RCodeNameError
		return out
	}
	turn := min(n.asked[name], len(list)-1)
	if q.Type == dnsmessage.TypeA {
		n.asked[name]++
	}
	for _, text := range list[turn] {
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
