// Package rpc serves a webfetch.Fetcher as quorate.webfetch.v1. It relies on the interceptors of platform/rpcserver to check the caller and the
// request, and to convert faults.
package rpc

import (
	"context"
	"errors"

	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
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

// Rules returns who may call each RPC. Agents may read the list of allowed hosts but not change it: a page that they read must not be able to
// persuade them to allow a host.
func Rules() auth.Rules {
	writes := auth.Rule{Roles: []auth.Role{auth.RoleAdmin}, Audited: true}
	reads := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer}}
	return auth.Rules{
		webfetchv1.WebFetchService_FetchPage_FullMethodName:           {Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher}},
		webfetchv1.WebFetchService_AddAllowedDomain_FullMethodName:    writes,
		webfetchv1.WebFetchService_RemoveAllowedDomain_FullMethodName: writes,
		webfetchv1.WebFetchService_ListAllowedDomains_FullMethodName:  reads,
		webfetchv1.WebFetchService_TestAllowedDomain_FullMethodName:   reads,
	}
}

// FetchPage reads one page. A page that cannot be read is an answer with success false; a fault means that the call itself failed: it was canceled,
// or there is a bug.
func (s *Server) FetchPage(ctx context.Context, req *webfetchv1.FetchPageRequest) (*webfetchv1.FetchPageResponse, error) {
	fetch, err := fromProto(req)
	if err != nil {
		return nil, err
	}
	caller, _ := auth.FromContext(ctx)
	fetch.Tenant = caller.Tenant
	fetch.Owner = "api\x00" + caller.Name
	if fetch.Language == "" {
		fetch.Language = acceptLanguage(ctx)
	}
	page, err := s.fetcher.Fetch(ctx, fetch)
	if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
		return nil, err
	}
	return toProto(page), nil
}

// acceptLanguage returns the Accept-Language header of an HTTP call, or the metadata of a gRPC call.
func acceptLanguage(ctx context.Context) string {
	for _, name := range []string{"grpcgateway-accept-language", "accept-language"} {
		if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
