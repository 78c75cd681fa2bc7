package rpc

import (
	"context"
	"net/url"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/page"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// cursors encodes page tokens. Every replica has the same key: a token contains nothing but a domain that its owner may list.
var cursors = page.New([]byte("quorate.webfetch.v1.ListAllowedDomains"))

// tenantOf returns the caller's tenant, and its name.
func tenantOf(ctx context.Context) (tenant, name string) {
	caller, ok := auth.FromContext(ctx)
	if !ok || caller.Tenant == "" {
		return auth.DefaultTenant, caller.Name
	}
	return caller.Tenant, caller.Name
}

// AddAllowedDomain adds a domain. Its fault is DOMAIN_INVALID.
func (s *Server) AddAllowedDomain(ctx context.Context, req *webfetchv1.AddAllowedDomainRequest) (*webfetchv1.AddAllowedDomainResponse, error) {
	tenant, name := tenantOf(ctx)
	entry, added, err := s.fetcher.Allowlist().Add(ctx, tenant, req.GetDomain(), name)
	if err != nil {
		return nil, err
	}
	return &webfetchv1.AddAllowedDomainResponse{Domain: string(entry.Domain), Added: new(added)}, nil
}

// RemoveAllowedDomain removes a domain. Its faults are DOMAIN_INVALID and DOMAIN_FIXED.
func (s *Server) RemoveAllowedDomain(ctx context.Context, req *webfetchv1.RemoveAllowedDomainRequest) (*webfetchv1.RemoveAllowedDomainResponse, error) {
	tenant, _ := tenantOf(ctx)
	domain, removed, err := s.fetcher.Allowlist().Remove(ctx, tenant, req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &webfetchv1.RemoveAllowedDomainResponse{Domain: string(domain), Removed: new(removed)}, nil
}

// ListAllowedDomains returns the caller's list. Its fault is PAGE_TOKEN_INVALID.
func (s *Server) ListAllowedDomains(ctx context.Context, req *webfetchv1.ListAllowedDomainsRequest) (*webfetchv1.ListAllowedDomainsResponse, error) {
	tenant, _ := tenantOf(ctx)
	after := ""
	if req.GetPageToken() != "" {
		cursor, err := cursors.Decode(tenant, req.GetPageToken())
		if err != nil {
			return nil, err
		}
		after = string(cursor)
	}
	size := page.Size(req.GetPageSize())
	entries, err := s.fetcher.Allowlist().List(ctx, tenant, allowlist.Domain(after), size)
	if err != nil {
		return nil, err
	}
	answer := &webfetchv1.ListAllowedDomainsResponse{}
	for _, e := range entries {
		domain := &webfetchv1.AllowedDomain{Domain: string(e.Domain), Creator: e.Creator}
		if !e.CreateTime.IsZero() {
			domain.CreateTime = timestamppb.New(e.CreateTime)
		}
		answer.AllowedDomains = append(answer.AllowedDomains, domain)
	}
	if len(entries) == size {
		answer.NextPageToken = cursors.Encode(tenant, []byte(entries[size-1].Domain))
	}
	return answer, nil
}

// TestAllowedDomain says whether a URL may be read.
func (s *Server) TestAllowedDomain(ctx context.Context, req *webfetchv1.TestAllowedDomainRequest) (*webfetchv1.TestAllowedDomainResponse, error) {
	tenant, _ := tenantOf(ctx)
	raw := req.GetUrl()
	if isBare(raw) {
		raw = "https://" + raw
	}
	domain, why := s.fetcher.Test(ctx, webfetch.Request{URL: raw, Tenant: tenant, Language: acceptLanguage(ctx)})
	if why != (webfetch.Failure{}) {
		return &webfetchv1.TestAllowedDomainResponse{
			Allowed: new(false), Error: why.Error, ErrorCode: string(why.ErrorCode), ErrorReason: why.ErrorReason, ErrorStatus: why.ErrorStatus,
		}, nil
	}
	return &webfetchv1.TestAllowedDomainResponse{Allowed: new(true), Domain: domain}, nil
}

// isBare reports whether a URL begins with its host, as people write it. One slash after https: is a slip, not a host of that name.
func isBare(raw string) bool {
	u, err := url.Parse(raw)
	slip := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Opaque == ""
	return !strings.Contains(raw, "://") && !slip && (err != nil || u.Host == "")
}
