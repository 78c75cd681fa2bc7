// Package rpc serves a webfetch.Fetcher as quorate.webfetch.v1. It expects the interceptors of platform/rpcserver around it: they
// check the caller and the request, and map faults.
package rpc

import (
	"context"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/auth"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// Server is the WebFetchService.
type Server struct {
	webfetchv1.UnimplementedWebFetchServiceServer

	fetcher *webfetch.Fetcher
}

var _ webfetchv1.WebFetchServiceServer = (*Server)(nil)

// New returns a Server over f.
func New(f *webfetch.Fetcher) *Server { return &Server{fetcher: f} }

// Rules returns who may call each RPC of the service.
func Rules() auth.Rules {
	return auth.Rules{
		webfetchv1.WebFetchService_FetchPage_FullMethodName: {Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher}},
	}
}

// FetchPage reads one page. Its faults have the reasons of package webfetch.
func (s *Server) FetchPage(ctx context.Context, req *webfetchv1.FetchPageRequest) (*webfetchv1.FetchPageResponse, error) {
	page, err := s.fetcher.Fetch(ctx, fromProto(req))
	if err != nil {
		return nil, err
	}
	return toProto(page), nil
}
