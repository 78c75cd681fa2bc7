package rpc

import (
	"math"

	"github.com/quorate/quorate/agents/webfetch"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

func fromProto(req *webfetchv1.FetchPageRequest) webfetch.Request {
	return webfetch.Request{
		URL:           req.GetUrl(),
		Format:        webfetch.Format(req.GetFormat()),
		Timeout:       req.GetTimeout().AsDuration(),
		MaxSize:       req.GetMaxSize(),
		MaxCharacters: int(req.GetMaxCharacters()),
	}
}

func toProto(p webfetch.Page) *webfetchv1.FetchPageResponse {
	return &webfetchv1.FetchPageResponse{
		Content:         p.Content,
		Url:             p.URL,
		Domain:          p.Domain,
		StatusCode:      toInt32(p.StatusCode),
		ContentType:     p.ContentType,
		ContentLength:   p.ContentLength,
		ProcessedFormat: string(p.Format),
		Truncated:       p.Truncated,
		TruncatedAt:     toInt32(p.TruncatedAt),
		FetchDurationMs: p.Duration.Milliseconds(),
		Title:           p.Title,
	}
}

// toInt32 keeps what the contract's type can hold.
func toInt32(n int) int32 {
	if n < 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(n)
}
