package rpcserver

import (
	"context"
	"net"
	"net/netip"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/share"
)

// strangers are the limits of calls of public methods, such as those of the server's health, which have no caller. They count by the address that they come from: one
// address may take half of each limit, and all others together the rest.
type strangers struct {
	streams *callers             // that are open
	awaited *callers             // calls that wait for their request
	passed  *callers             // calls that are passed on to gRPC
	intake  *intake              // of requests
	unread  *share.Bytes[caller] // of answers
}

// What one address may take.
const (
	maxPublic    = 1024             // open streams; as many answers that are not read
	maxAwaited   = 64               // calls that wait for their request
	maxStrangers = 4                // requests that gRPC's transport receives at a time; they are small
	publicWait   = 10 * time.Second // how long such a request is received
)

func newStrangers() strangers {
	half := func(most int) *callers { return newCallers(Limits{MaxCalls: 2 * most}) }
	return strangers{
		streams: half(maxPublic), awaited: half(maxAwaited), passed: half(maxPublic),
		intake: newIntake(maxStrangers, publicWait), unread: share.NewBytes[caller](2 * maxPublic * leastUnread),
	}
}

// originKey is the metadata by which a call that comes over the in-memory connection tells the address that it comes from.
const originKey = "quorate-origin"

// stranger stands for all who call from the address of a call. Only what this process says itself about an address counts.
func (s *Server) stranger(ctx context.Context) caller {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return caller{}
	}
	if told := metadata.ValueFromIncomingContext(ctx, originKey); len(told) == 1 && s.fromInside(ctx) {
		return caller{name: told[0]}
	}
	return caller{name: origin(p.Addr)}
}

// fromInside reports whether a call comes over the in-memory connection.
func (s *Server) fromInside(ctx context.Context) bool {
	p, ok := peer.FromContext(ctx)
	return ok && p.Addr == s.pipe.Addr()
}

// origin returns the part of an address that tells hosts apart: without the port, and of IPv6 the network, in which a host may take any address.
func origin(a net.Addr) string {
	if a == nil {
		return ""
	}
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	const network = 64 // bits
	return netip.PrefixFrom(ip, network).Masked().String()
}

// enterStream is Enter for a stream, which may have no caller.
func (s *Server) enterStream(ctx context.Context) (leave func(), err error) {
	if _, ok := auth.FromContext(ctx); !ok {
		return s.strangers.streams.enter(s.stranger(ctx))
	}
	return s.Enter(ctx)
}

// decodePublic decodes the request of a call of a public method. It bounds how many such calls wait for their request, of which few are received at a time, and how
// long each does.
func (s *Server) decodePublic(ctx context.Context, decode func(any) error, req any) error {
	from := s.stranger(ctx)
	leave, err := s.strangers.awaited.enter(from)
	if err != nil {
		return rpcfault.Status(err).Err()
	}
	defer leave()
	return s.strangers.intake.receive(ctx, from, decode, req)
}

// decodeStranger is decodePublic over gRPC's transport. That the request cannot be decoded is the caller's mistake.
func (s *Server) decodeStranger(ctx context.Context, decode func(any) error, req any) error {
	body := &undecoded{}
	if err := s.decodePublic(ctx, decode, body); err != nil {
		return err
	}
	defer body.data.Free()
	return body.decode(req)
}

// publicStream is a stream of a public method.
type publicStream struct {
	grpc.ServerStream
	server *Server
}

// RecvMsg receives the next message like the request of any other public call.
func (p publicStream) RecvMsg(message any) error {
	return p.server.decodeStranger(p.Context(), p.ServerStream.RecvMsg, message)
}
