package rpc

import (
	"cmp"
	"math"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

func fromProto(req *webfetchv1.FetchPageRequest) (webfetch.Request, error) {
	if req.GetFormat() != "" && req.GetMode() != "" && req.GetFormat() != req.GetMode() {
		return webfetch.Request{}, fault.Invalid("mode", webfetch.ReasonRequestInvalid, "mode is another name of format; give one of them")
	}
	if req.GetTimeout() != nil && req.GetTimeoutSeconds() != 0 {
		return webfetch.Request{}, fault.Invalid("timeout_seconds", webfetch.ReasonRequestInvalid, "timeout_seconds is another form of timeout; give one of them")
	}
	if req.GetTimeout() != nil && req.GetTimeout().AsDuration() <= 0 {
		return webfetch.Request{}, fault.Invalid("timeout", webfetch.ReasonRequestInvalid, "timeout must be more than 0")
	}
	timeout := req.GetTimeout().AsDuration()
	if req.GetTimeoutSeconds() != 0 {
		timeout = time.Duration(req.GetTimeoutSeconds()) * time.Second
	}
	return webfetch.Request{
		URL:           req.GetUrl(),
		Format:        webfetch.Format(cmp.Or(req.GetFormat(), req.GetMode())),
		Timeout:       timeout,
		MaxSize:       req.GetMaxSize(),
		MaxCharacters: int(req.GetMaxCharacters()),
		StartIndex:    int(req.GetStartIndex()),
		ContentSHA256: req.GetContentSha256(),
		Selector:      req.GetSelector(),
		XPath:         req.GetXpath(),
		JSONPath:      req.GetJsonPath(),
		NoRedirects:   req.FollowRedirects != nil && !req.GetFollowRedirects(),
		Headers:       req.GetHeaders(),
		Render:        webfetch.Render(req.GetRender()),
		Engine:        webfetch.Engine(req.GetEngine()),
		NoCache:       req.GetNoCache(),
		Session:       req.GetSession(),
		Credential:    req.GetCredential(),
		Profile:       req.GetProfile(),
		Language:      req.GetLocale(),
	}, nil
}

func toProto(p webfetch.Page) *webfetchv1.FetchPageResponse {
	answer := &webfetchv1.FetchPageResponse{
		Success:         new(p.Success),
		Content:         new(p.Content),
		RequestedUrl:    p.RequestedURL,
		Url:             p.URL,
		Domain:          p.Domain,
		StatusCode:      new(toInt32(p.StatusCode)),
		ContentType:     new(p.ContentType),
		ContentLength:   new(p.ContentLength),
		Headers:         p.Headers,
		ProcessedFormat: string(p.Format),
		Truncated:       new(p.Truncated),
		TruncatedAt:     toInt32(int(p.TruncatedAt)),
		StartIndex:      toInt32(p.StartIndex),
		NextIndex:       toInt32(p.NextIndex),
		TotalCharacters: toInt32(p.TotalCharacters),
		Error:           p.Error,
		ErrorCode:       string(p.ErrorCode),
		ErrorReason:     p.ErrorReason,
		ErrorStatus:     p.ErrorStatus,
		FetchDurationMs: new(p.DurationMS),
		Title:           p.Title,
		Language:        p.Language,
		Charset:         p.Charset,
		ContentSha256:   p.ContentSHA256,
		Cache:           p.Cache,
		Engine:          string(p.Engine),
		Rendered:        p.Rendered,
		Extractor:       p.Extractor,
		Warnings:        p.Warnings,
		Trust:           p.Trust,
		Opening:         p.Opening,
		Closing:         p.Closing,
	}
	for _, hop := range p.Redirects {
		answer.Redirects = append(answer.Redirects, &webfetchv1.Redirect{Url: hop.URL, StatusCode: toInt32(hop.StatusCode)})
	}
	if p.Metadata != nil {
		answer.Metadata = metadataToProto(p.Metadata)
	}
	return answer
}

func metadataToProto(m *extract.Metadata) *webfetchv1.PageMetadata {
	out := &webfetchv1.PageMetadata{
		Description: m.Description, Author: m.Author, SiteName: m.SiteName, Type: m.Type, Published: m.Published, Modified: m.Modified,
		Image: m.Image, Canonical: m.Canonical, OpenGraph: m.OpenGraph, JsonLdTypes: m.JSONLDTypes,
	}
	for _, block := range m.JSONLD {
		out.JsonLd = append(out.JsonLd, string(block))
	}
	for _, feed := range m.Feeds {
		out.Feeds = append(out.Feeds, feed.Href)
	}
	return out
}

// toInt32 limits n to the range of the API's type.
func toInt32(n int) int32 {
	if n < 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(n)
}
