package netguard_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// script answers DNS questions from a list per name: each look-up of a name takes the next answer, and the last one stays.
type script struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr // guarded by mu
	asked   map[string]int            // questions of type A per name, guarded by mu
}

// newResolver returns a resolver that asks script only, over in-memory connections.
func newResolver(t *testing.T, answers map[string][][]netip.Addr) *net.Resolver {
	t.Helper()
	s := &script{answers: answers, asked: make(map[string]int)}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		serving.Go(func() { s.serve(server) })
		return client, nil
	}}
}

// serve answers the questions of one connection in the TCP framing of RFC 1035 section 4.2.2.
func (s *script) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }() // the resolver may have closed its end first
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer := s.answer(query)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (s *script) answer(query []byte) []byte {
	const header, typeA, typeAAAA = 12, 1, 28
	name, end := readName(query, header)
	qtype := binary.BigEndian.Uint16(query[end:])

	out := append([]byte{}, query[:end+4]...) // identifier, flags and question as asked
	out[2], out[3] = 0x81, 0x80               // an answer, recursion available, no error
	clear(out[6:header])
	records := 0
	for _, addr := range s.next(name, qtype == typeA) {
		if addr.Is4() != (qtype == typeA) || qtype != typeA && qtype != typeAAAA {
			continue
		}
		raw := addr.AsSlice()
		out = append(out, 0xc0, header)                        // the name: a pointer to the question
		out = binary.BigEndian.AppendUint16(out, qtype)        //
		out = append(out, 0, 1, 0, 0, 0, 0, 0, byte(len(raw))) // class IN, no caching, length
		out = append(out, raw...)
		records++
	}
	out[7] = byte(records)
	return out
}

// next returns the addresses of this look-up. A look-up asks for A and AAAA at the same time; both get one list.
func (s *script) next(name string, isA bool) []netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.answers[name]
	if len(list) == 0 {
		return nil
	}
	turn := min(s.asked[name], len(list)-1)
	if isA {
		s.asked[name]++
	}
	return list[turn]
}

func readName(msg []byte, at int) (name string, end int) {
	var labels []string
	for msg[at] != 0 {
		n := int(msg[at])
		labels = append(labels, string(msg[at+1:at+1+n]))
		at += 1 + n
	}
	return strings.ToLower(strings.Join(labels, ".")), at + 1
}

func addrs(list ...string) []netip.Addr {
	out := make([]netip.Addr, len(list))
	for i, s := range list {
		out[i] = netip.MustParseAddr(s)
	}
	return out
}
