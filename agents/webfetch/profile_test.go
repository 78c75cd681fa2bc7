package webfetch_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

// TestProfilesAreTheDocuments holds the numbers of documents 000 to 003.
func TestProfilesAreTheDocuments(t *testing.T) {
	for name, want := range map[string]struct {
		limits    webfetch.Limits
		format    webfetch.Format
		language  string
		engine    webfetch.Engine
		allowlist bool
	}{
		"":        {webfetch.Limits{Timeout: 30 * time.Second, MaxSize: 1048576, MaxCharacters: 50_000}, webfetch.Markdown, "en", webfetch.EngineHTTP, false},
		"slack":   {webfetch.Limits{Timeout: 10 * time.Second, MaxSize: 524288, MaxCharacters: 14_000}, webfetch.Text, "ja", webfetch.EngineHTTP, false},
		"000":     {webfetch.Limits{Timeout: 10 * time.Second, MaxSize: 524288, MaxCharacters: 14_000}, webfetch.Text, "ja", webfetch.EngineHTTP, false},
		"ADK":     {webfetch.Limits{Timeout: 30 * time.Second, MaxSize: 1048576, MaxCharacters: 52428800}, webfetch.Text, "en", webfetch.EngineHTTP, false},
		"001":     {webfetch.Limits{Timeout: 30 * time.Second, MaxSize: 1048576, MaxCharacters: 52428800}, webfetch.Text, "en", webfetch.EngineHTTP, false},
		"002":     {webfetch.Limits{Timeout: 30 * time.Second, MaxSize: 52428800, MaxCharacters: 50_000}, webfetch.Markdown, "en", webfetch.EngineHTTP, true},
		"003":     {webfetch.Limits{Timeout: 60 * time.Second, MaxSize: 52428800, MaxCharacters: 20_000}, webfetch.Markdown, "ja", webfetch.EngineRemote, false},
		"default": {webfetch.Limits{Timeout: 30 * time.Second, MaxSize: 1048576, MaxCharacters: 50_000}, webfetch.Markdown, "en", webfetch.EngineHTTP, false},
	} {
		p, err := webfetch.ProfileNamed(name)
		if err != nil || p.Limits != want.limits || p.Format != want.format || p.Language != want.language || p.Engine != want.engine || p.Allowlist != want.allowlist {
			t.Errorf("ProfileNamed(%q) = %+v, %v, want %+v", name, p, err, want)
		}
	}
	if p, err := webfetch.ProfileNamed("004"); fault.ReasonOf(err) != webfetch.ReasonRequestInvalid {
		t.Errorf("ProfileNamed(004) = %+v, %v, want %s", p, err, webfetch.ReasonRequestInvalid)
	}
}

// site answers what the profiles treat differently.
func site(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/html":
		send("text/html", "<title>T</title><h1>Heading</h1><p>Text.</p>")(w, r)
	case "/json":
		send("application/json", `{"b":1,"a":[2]}`)(w, r)
	case "/plain":
		send("text/plain", strings.Repeat("x", 20_000))(w, r)
	case "/image":
		send("image/x-thing", "not really")(w, r)
	case "/big":
		with("Content-Length", "2000000", send("text/plain", strings.Repeat("x", 2_000_000)))(w, r)
	case "/chunked":
		send("text/plain", strings.Repeat("x", 1_000_000))(w, r)
		_ = http.NewResponseController(w).Flush() // fails when the client is gone
		send("text/plain", strings.Repeat("y", 1_000_000))(w, r)
	case "/away":
		http.Redirect(w, r, "/plain", http.StatusFound)
	case "/robots.txt":
		send("text/plain", "user-agent: *\ndisallow: /private")(w, r)
	case "/private":
		send("text/plain", "private")(w, r)
	case "/agent":
		send("text/plain", r.UserAgent())(w, r)
	default:
		http.NotFound(w, r)
	}
}

// manner is one thing that a profile does in a way of its own.
type manner struct {
	req  webfetch.Request
	want func(p webfetch.Page) bool
}

// manners returns them by name, for a site.
func manners(url string) map[string]manner {
	return map[string]manner{
		"000 cuts a long body":                      {webfetch.Request{URL: url + "/big", Profile: "000"}, func(p webfetch.Page) bool { return p.Success && p.ContentLength == 524288 && p.Truncated }},
		"000 cuts at 14,000 characters with a mark": {webfetch.Request{URL: url + "/plain", Profile: "000"}, func(p webfetch.Page) bool { return p.Content == strings.Repeat("x", 14_000)+"\n\n... [以下省略]" }},
		"000 lowers what is asked above its limits": {webfetch.Request{URL: url + "/plain", Profile: "000", MaxCharacters: 20_000}, func(p webfetch.Page) bool { return p.NextIndex == 14_000 }},
		"000 answers what is no text as it is":      {webfetch.Request{URL: url + "/image", Profile: "000"}, func(p webfetch.Page) bool { return p.Content == "not really" }},
		"000 answers JSON as it is":                 {webfetch.Request{URL: url + "/json", Profile: "000"}, func(p webfetch.Page) bool { return p.Content == `{"b":1,"a":[2]}` }},
		"001 refuses a declared length above the limit": {webfetch.Request{URL: url + "/big", Profile: "001"}, func(p webfetch.Page) bool {
			return p.ErrorCode == "too_large" && p.Error == "Response too large: 2000000 > 1048576 bytes"
		}},
		"001 cuts a body whose length was not declared": {webfetch.Request{URL: url + "/chunked", Profile: "001"}, func(p webfetch.Page) bool { return p.Success && p.TruncatedAt == 1048576 && p.ContentLength == 1048576 }},
		"001 raises the limit when asked":               {webfetch.Request{URL: url + "/big", Profile: "001", MaxSize: 1 << 40}, func(p webfetch.Page) bool { return p.Success && p.ContentLength == 2_000_000 && !p.Truncated }},
		"001 takes a negative limit as none":            {webfetch.Request{URL: url + "/plain", Profile: "001", MaxSize: -1}, func(p webfetch.Page) bool { return p.Success }},
		"001 takes an unknown format as text":           {webfetch.Request{URL: url + "/html", Profile: "001", Format: "yaml"}, func(p webfetch.Page) bool { return p.Format == "text" && p.Content == "Heading\n\nText." }},
		"001 takes a format in any case":                {webfetch.Request{URL: url + "/html", Profile: "001", Format: "RAW"}, func(p webfetch.Page) bool { return p.Format == "raw" && strings.HasPrefix(p.Content, "<title>") }},
		"001 says what was asked for":                   {webfetch.Request{URL: url + "/plain", Profile: "001", Format: "json"}, func(p webfetch.Page) bool { return p.Format == "json" }},
		"001 indents JSON":                              {webfetch.Request{URL: url + "/json", Profile: "001", Format: "json"}, func(p webfetch.Page) bool { return p.Content == "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}" }},
		"001 answers JSON as it is when asked for text": {webfetch.Request{URL: url + "/json", Profile: "001"}, func(p webfetch.Page) bool { return p.Content == `{"b":1,"a":[2]}` }},
		"001 answers JSON as it is when asked for HTML": {webfetch.Request{URL: url + "/json", Profile: "001", Format: "html"}, func(p webfetch.Page) bool {
			return p.Content == `{"b":1,"a":[2]}` && p.Format == "html"
		}},
		"001 answers HTML as it is when asked for JSON": {webfetch.Request{URL: url + "/html", Profile: "001", Format: "json"}, func(p webfetch.Page) bool {
			return p.Content == "<title>T</title><h1>Heading</h1><p>Text.</p>" && p.Format == "json"
		}},
		"001 answers a redirect itself when told to": {webfetch.Request{URL: url + "/away", Profile: "001", NoRedirects: true}, func(p webfetch.Page) bool {
			return p.Success && p.StatusCode == http.StatusFound && p.Headers["Location"] == "/plain"
		}},
		"001 goes by its name": {webfetch.Request{URL: url + "/agent", Profile: "001"}, func(p webfetch.Page) bool {
			return p.Content == "adk-code/1.0 (+https://github.com/raphaelmansuy/adk-code)"
		}},
		"001 takes more time than there is as the most": {webfetch.Request{URL: url + "/html", Profile: "001", Timeout: time.Hour}, func(p webfetch.Page) bool { return p.Success }},
	}
}

// moreManners are those of the other profiles.
func moreManners(url string) map[string]manner {
	return map[string]manner{
		"002 goes by its name":              {webfetch.Request{URL: url + "/agent", Profile: "002"}, func(p webfetch.Page) bool { return p.Content == "GLaDOS-Agent/1.0" }},
		"002 tells the status and its text": {webfetch.Request{URL: url + "/missing", Profile: "002"}, func(p webfetch.Page) bool { return p.Error == "404 Not Found" && p.ErrorCode == "status_error" }},
		"002 counts the whole content": {webfetch.Request{URL: url + "/plain", Profile: "002", MaxCharacters: 10}, func(p webfetch.Page) bool {
			return p.TotalCharacters == 20_000 && p.Truncated && p.Content == "xxxxxxxxxx"
		}},
		"002 answers HTML as it is": {webfetch.Request{URL: url + "/html", Profile: "002", Format: "html"}, func(p webfetch.Page) bool {
			return p.Format == "html" && p.Content == "<title>T</title><h1>Heading</h1><p>Text.</p>" && p.TotalCharacters == len(p.Content)
		}},
		"002 selects from HTML": {webfetch.Request{URL: url + "/html", Profile: "002", Format: "html", Selector: "p"}, func(p webfetch.Page) bool { return p.Content == "<p>Text.</p>" }},
		"002 answers other text as it is when asked for HTML": {webfetch.Request{URL: url + "/json", Profile: "002", Format: "html"}, func(p webfetch.Page) bool {
			return p.Format == "raw" && p.Content == `{"b":1,"a":[2]}`
		}},
		"003 without a service is switched on by name": {webfetch.Request{URL: url + "/plain", Profile: "003"}, func(p webfetch.Page) bool {
			return p.ErrorCode == "backend_error" && p.Error == "ページを取得できませんでした"
		}},
		"ours refuses what is above its limits": {webfetch.Request{URL: url + "/plain", MaxSize: 1 << 40}, func(p webfetch.Page) bool { return p.ErrorCode == "invalid_argument" }},
		"ours refuses an unknown format":        {webfetch.Request{URL: url + "/html", Format: "yaml"}, func(p webfetch.Page) bool { return p.ErrorCode == "invalid_argument" }},
		"ours refuses a long body":              {webfetch.Request{URL: url + "/chunked"}, func(p webfetch.Page) bool { return p.ErrorCode == "too_large" }},
		"ours obeys robots.txt": {webfetch.Request{URL: url + "/private"}, func(p webfetch.Page) bool {
			return p.ErrorCode == "robots_disallowed" && strings.Contains(p.Error, "/private")
		}},
		"the others do not":             {webfetch.Request{URL: url + "/private", Profile: "001"}, func(p webfetch.Page) bool { return p.Success }},
		"an unknown profile is refused": {webfetch.Request{URL: url, Profile: "mine"}, func(p webfetch.Page) bool { return p.ErrorCode == "invalid_argument" }},
	}
}

func TestManners(t *testing.T) {
	f, url := serve(t, site)
	all := manners(url)
	maps.Copy(all, moreManners(url))
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			p, err := f.Fetch(t.Context(), test.req)
			if !test.want(p) || (err == nil) != p.Success {
				p.Content = p.Content[:min(len(p.Content), 100)]
				t.Errorf("Fetch(%+v) = %+v, %v", test.req, p, err)
			}
		})
	}
}

func TestAProfileCannotOpenTheAllowlist(t *testing.T) {
	f := newFetcher(t, webfetch.Options{})
	for _, profile := range webfetch.ProfileNames() {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.34/", Profile: profile})
		if p.ErrorCode != webfetch.CodeDomain {
			t.Errorf("Fetch(a host that is not listed, profile %s) = %+v, %v, want domain_not_allowed", profile, p, err)
		}
	}
	open := newFetcher(t, webfetch.Options{Open: true})
	if p, err := open.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.34:22/", Profile: "002"}); p.ErrorCode != webfetch.CodeSSRF {
		t.Errorf("Fetch(open, a bad port) = %+v, %v, want ssrf_blocked", p, err)
	}
	if p, err := open.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.34/", Profile: "002"}); p.ErrorCode != webfetch.CodeDomain {
		t.Errorf("Fetch(open, profile 002) = %+v, %v, want its own allowlist: domain_not_allowed", p, err)
	}
}

// TestTheFieldsOfDocument001 checks the names of its output in JSON.
func TestTheFieldsOfDocument001(t *testing.T) {
	f, url := serve(t, site)
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: url + "/plain", Profile: "001", MaxCharacters: 10})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"success", "content", "url", "status_code", "content_type", "content_length", "headers", "processed_format", "truncated_at", "fetch_duration_ms", "domain", "truncated"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("a page in JSON has no field %s: %s", name, raw)
		}
	}
	p, err = f.Fetch(t.Context(), webfetch.Request{URL: url + "/missing"})
	if raw, _ := json.Marshal(p); err == nil || !strings.Contains(string(raw), `"success":false`) || !strings.Contains(string(raw), `"error_code":"status_error"`) || !strings.Contains(string(raw), `"status_code":404`) {
		t.Errorf("a failed page in JSON = %s, %v, want success, error_code and status_code", raw, err)
	}
}

func TestParseRequest(t *testing.T) {
	for text, want := range map[string]webfetch.Request{
		`{"url":"u","format":"text","timeout":30,"follow_redirects":false,"max_size":1048576,"headers":{"A":"b"}}`: {URL: "u", Format: "text", Timeout: 30 * time.Second, NoRedirects: true, MaxSize: 1048576},
		`{"url":"u","mode":"links","maxCharacters":5}`:                                                             {URL: "u", Format: "links", MaxCharacters: 5},
		`{"url":"u","timeout":"1m","startIndex":7.0,"json_path":"$","followRedirects":true,"format":null}`:         {URL: "u", Timeout: time.Minute, StartIndex: 7, JSONPath: "$"},
		`{"URL":"u","max-content-length":9,"auth":"c","locale":"ja","render":"auto","noCache":true,"session":"s"}`: {URL: "u", MaxCharacters: 9, Credential: "c", Language: "ja", Render: "auto", NoCache: true, Session: "s"},
		`{"url":"u","xpath":"//a","engine":"remote","profile":"001","content_sha256":"x","timeout_seconds":0.5}`:   {URL: "u", XPath: "//a", Engine: "remote", Profile: "001", ContentSHA256: "x", Timeout: time.Second / 2},
		`{"url":"u","css_selector":"h1"}`: {URL: "u", Selector: "h1"},
	} {
		got, err := webfetch.ParseRequest([]byte(text))
		if want.URL = "u"; got.Headers["A"] == "b" {
			got.Headers = nil
		}
		if err != nil || !equal(got, want) {
			t.Errorf("ParseRequest(%s) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for name, text := range map[string]string{
		"an unknown field": `{"url":"u","depth":1}`, "no object": `[]`, "no JSON": `{`, "a field twice": `{"format":"text","mode":"html"}`, "a wrong type": `{"url":7}`,
		"half a character": `{"url":"u","max_characters":1.5}`, "a time that is none": `{"timeout":"soon"}`, "a field twice in other spellings": `{"maxSize":1,"max_size":1}`,
	} {
		if got, err := webfetch.ParseRequest([]byte(text)); webfetch.CodeOf(err) != webfetch.CodeInvalidArgument {
			t.Errorf("%s: ParseRequest(%s) = %+v, %v, want invalid_argument", name, text, got, err)
		}
	}
}

func TestAnUnknownFieldIsAnsweredWithThoseThatCount(t *testing.T) {
	t.Parallel()
	_, err := webfetch.ParseRequest([]byte(`{"url":"https://a.example","domain":"b.example"}`))
	if err == nil || !strings.Contains(err.Error(), "content_sha256, credential, engine, follow_redirects, format") {
		t.Errorf("ParseRequest() = %v, want the names of the fields as documents have them", err)
	}
}

// equal compares requests, whose headers are empty.
func equal(a, b webfetch.Request) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func TestAFieldOfAnotherTypeIsToldItsOwn(t *testing.T) {
	for text, want := range map[string]string{
		`{"url":5}`:                    "the field url must be a text",
		`{"timeout":"30"}`:             `the field timeout must be a number of seconds, or a text such as "1m30s"`,
		`{"maxCharacters":1.5}`:        "the field maxCharacters must be a whole number",
		`{"headers":["a"]}`:            "the field headers must be an object of texts",
		`{"follow_redirects":"false"}`: "the field follow_redirects must be true or false",
	} {
		if _, err := webfetch.ParseRequest([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("ParseRequest(%s) = %v, want %q", text, err, want)
		}
	}
}

func TestAnUnknownSettingIsToldWithThoseThatThereAre(t *testing.T) {
	t.Parallel()
	for want, options := range map[string]webfetch.Options{
		"default, slack, adk, glados, myao": {Profile: "nope"},
		"markdown, text, html, json, links": {Format: "pdf"},
	} {
		if _, err := webfetch.New(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%+v) = %v, want words that name %s", options, err, want)
		}
	}
}
