package webfetch_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
)

var japaneseText = regexp.MustCompile(`[\x{3040}-\x{30ff}\x{4e00}-\x{9fff}]`)

func TestEveryCodeHasAMessageInJapanese(t *testing.T) {
	messages := webfetch.JapaneseMessages
	for _, code := range webfetch.Codes() {
		if !japaneseText.MatchString(messages[code]) {
			t.Errorf("JapaneseMessages[%s] = %q, want Japanese", code, messages[code])
		}
	}
	for code := range messages {
		if !slices.Contains(webfetch.Codes(), code) {
			t.Errorf("JapaneseMessages has the code %s, which nothing fails with", code)
		}
	}
	known := []string{"{url}", "{domain}", "{limit}", "{size}", "{timeout}", "{status_code}", "{status_text}", "{field}", "{detail}"}
	for code, text := range messages {
		for _, word := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(text, -1) {
			if !slices.Contains(known, word) {
				t.Errorf("JapaneseMessages[%s] has the word %s, which nothing fills", code, word)
			}
		}
	}
}

func failing(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/hang":
		<-r.Context().Done()
	case "/long":
		with("Content-Length", "3000", send("text/plain", strings.Repeat("x", 3000)))(w, r)
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/broken":
		with("Content-Encoding", "gzip", send("text/plain", "no gzip"))(w, r)
	default:
		http.NotFound(w, r)
	}
}

func TestMessages(t *testing.T) {
	f, url := serve(t, failing)
	for name, test := range map[string]struct {
		req  webfetch.Request
		code webfetch.Code
		want string // in the message
	}{
		"a scheme, in Japanese":          {webfetch.Request{URL: "ftp://x", Language: "ja"}, "scheme_not_allowed", "無効なURLです。http:// または https:// で始まるURLを指定してください"},
		"a scheme, in English":           {webfetch.Request{URL: "ftp://x", Language: "en-GB,en;q=0.9"}, "scheme_not_allowed", "only http:// and https:// pages"},
		"a scheme, in Swahili":           {webfetch.Request{URL: "ftp://x", Language: "sw"}, "scheme_not_allowed", "only http:// and https:// pages"},
		"a scheme, in what is no header": {webfetch.Request{URL: "ftp://x", Language: ";;;"}, "scheme_not_allowed", "only http:// and https:// pages"},
		"a scheme, by preference":        {webfetch.Request{URL: "ftp://x", Language: "fr;q=1, ja;q=0.8, en;q=0.5"}, "scheme_not_allowed", "無効なURL"},
		"a status, in Japanese":          {webfetch.Request{URL: url + "/x", Language: "ja-JP"}, "status_error", "ページを取得できませんでした（HTTPエラー 404）: " + url + "/x"},
		"a timeout, in Japanese":         {webfetch.Request{URL: url + "/hang", Language: "ja", Timeout: 300 * time.Millisecond}, "timeout", "ページの取得がタイムアウトしました"},
		"a size, in Japanese":            {webfetch.Request{URL: url + "/long", Language: "ja", MaxSize: 2000}, "too_large", "上限 2000 バイト"},
		"a domain, in Japanese":          {webfetch.Request{URL: "https://example.com", Language: "ja"}, "domain_not_allowed", "example.com は許可されていないドメインです"},
		"a field, in Japanese":           {webfetch.Request{URL: url, MaxSize: -1, Language: "ja"}, "invalid_argument", "max_size"},
		"redirects, in Japanese":         {webfetch.Request{URL: url + "/loop", Language: "ja"}, "too_many_redirects", "最大10回"},
		"000: a scheme":                  {webfetch.Request{URL: "file:///x", Profile: "000"}, "scheme_not_allowed", "URLスキームエラー"},
		"000: a private address":         {webfetch.Request{URL: "http://10.0.0.1/", Profile: "000"}, "ssrf_blocked", "プライベートIPアクセス拒否"},
		"000: a timeout":                 {webfetch.Request{URL: url + "/hang", Profile: "000", Timeout: 300 * time.Millisecond}, "timeout", "タイムアウト: 300ms以内に"},
		"000: a status":                  {webfetch.Request{URL: url + "/x", Profile: "000"}, "status_error", "HTTPエラー: ステータスコード 404"},
		"000: a broken body":             {webfetch.Request{URL: url + "/broken", Profile: "000"}, "decompression_error", "ネットワークエラー"},
		"000 in English":                 {webfetch.Request{URL: "file:///x", Profile: "000", Language: "en"}, "scheme_not_allowed", "only http://"},
		"001: a scheme":                  {webfetch.Request{URL: "file:///x", Profile: "001"}, "invalid_url", "Invalid URL: only http://"},
		"001: a timeout":                 {webfetch.Request{URL: url + "/hang", Profile: "001", Timeout: 300 * time.Millisecond}, "timeout", "Request timeout"},
		"001: a status":                  {webfetch.Request{URL: url + "/x", Profile: "001"}, "status_error", "HTTP error 404"},
		"001: a size":                    {webfetch.Request{URL: url + "/long", Profile: "001", MaxSize: 2000}, "too_large", "Response too large: 3000 > 2000 bytes"},
		"001: a broken body":             {webfetch.Request{URL: url + "/broken", Profile: "001"}, "read_error", "gzip"},
		"001: headers":                   {webfetch.Request{URL: url, Profile: "001", Headers: map[string]string{"a b": "c"}}, "request_error", "Failed to create request: "},
		"001: redirects":                 {webfetch.Request{URL: url + "/loop", Profile: "001"}, "network_error", "Failed to fetch: "},
		"002: a domain":                  {webfetch.Request{URL: "https://example.com", Profile: "002"}, "domain_not_allowed", "Domain not allowed: example.com."},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := f.Fetch(t.Context(), test.req)
			if err == nil || p.ErrorCode != test.code || !strings.Contains(p.Error, test.want) || strings.Contains(p.Error, "{") {
				t.Errorf("Fetch() = %q (%s), %v, want %q (%s)", p.Error, p.ErrorCode, err, test.want, test.code)
			}
			if err != nil && !strings.Contains(err.Error(), p.Error) {
				t.Errorf("Fetch() = error %v and page error %q, want the same text", err, p.Error)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := f.Fetch(ctx, webfetch.Request{URL: url + "/hang", Language: "ja"}); p.ErrorCode != "canceled" || p.Error != "ページの取得が中止されました" || !errors.Is(err, context.Canceled) {
		t.Errorf("Fetch(canceled) = %+v, %v, want the code canceled", p, err)
	}
}
