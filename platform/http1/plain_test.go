package http1_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/logtest"
)

const (
	head = "POST /p HTTP/1.1\r\nHost: x\r\n"
	rest = "\r\nhello"
)

// TestOnlyPlainRequestsAreAnsweredHere shows which requests are plain, and that responses are always those of net/http.
func TestOnlyPlainRequestsAreAnsweredHere(t *testing.T) {
	t.Parallel()
	const posted, got = "200 http1:POST /p hello", "200 http1:GET /p "
	tests := map[string]struct {
		sent  string
		plain string // the answer to a plain request; empty for others, which net/http judges
	}{
		"a POST":                              {head + "Content-Length: 5\r\n" + rest, posted},
		"a GET":                               {"GET /p HTTP/1.1\r\nHost: x\r\n\r\n", got},
		"a query":                             {"GET /p?a=b&c=%20 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "200 http1:GET /p?a=b&c=%20 "},
		"a POST of nothing":                   {head + "content-length: 0\r\n\r\n", "200 http1:POST /p "},
		"keep-alive":                          {head + "Connection: Keep-Alive\r\nContent-Length: 5\r\n" + rest, posted},
		"spaces around values":                {head + "Content-Length:   5  \r\nX:\r\n" + rest, posted},
		"two that follow":                     {get("/p") + get("/p"), got + "\n" + got},
		"one that follows a large one":        {post("/p", strings.Repeat("x", 32<<10)) + get("/p"), "200 http1:POST /p " + strings.Repeat("x", 32<<10) + "\n" + got},
		"an empty line behind a POST":         {head + "Content-Length: 5\r\n" + rest + "\r\n" + get("/p"), posted + "\n" + got},
		"content of 64 KiB":                   {post("/p", strings.Repeat("x", 64<<10)), "200 http1:POST /p " + strings.Repeat("x", 64<<10)},
		"content of more":                     {post("/p", strings.Repeat("x", 64<<10+1)), ""},
		"content that is not all there":       {head + "Content-Length: 6\r\n" + rest, ""},
		"a head of 9 KiB":                     {"GET /p HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 9<<10) + "\r\n\r\n", ""},
		"a head of 70 KiB":                    {"GET /p HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 70<<10) + "\r\n\r\n", ""},
		"a head that is not all there":        {"GET /p HTTP/1.1\r\nHost: x\r\n", ""},
		"HEAD":                                {"HEAD /p HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"PUT":                                 {"PUT /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + rest, ""},
		"OPTIONS of all":                      {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"lower case":                          {"get /p HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"HTTP/1.0":                            {"GET /p HTTP/1.0\r\nHost: x\r\n\r\n", ""},
		"HTTP/1.0 that stays":                 {"GET /p HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + "GET /p HTTP/1.0\r\n\r\n", ""},
		"HTTP/2":                              {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""},
		"HTTP/1.2":                            {"GET /p HTTP/1.2\r\nHost: x\r\n\r\n", ""},
		"no HTTP":                             {"GET /p\r\n\r\n", ""},
		"a TLS handshake":                     {"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", ""},
		"an absolute target":                  {"GET http://y/p HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a target with two slashes":           {"GET //y/p HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a target with a fragment":            {"GET /p#f HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a target with a wrong escape":        {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a target with a space":               {"GET /p q HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a tab in the request line":           {"GET\t/p HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"Expect":                              {head + "Expect: 100-continue\r\nContent-Length: 5\r\n" + rest, ""},
		"another expectation":                 {head + "Expect: cake\r\nContent-Length: 5\r\n" + rest, ""},
		"Connection: close":                   {head + "Connection: close\r\nContent-Length: 5\r\n" + rest + get("/p"), ""},
		"a connection with options":           {head + "Connection: keep-alive, X\r\nContent-Length: 5\r\n" + rest, ""},
		"Upgrade":                             {"GET /p HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", ""},
		"Upgrade without Connection":          {"GET /p HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", ""},
		"TE":                                  {"GET /p HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n", ""},
		"chunks":                              {head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", ""},
		"a length and chunks":                 {head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get("/smuggled"), ""},
		"chunks and a length":                 {head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + get("/smuggled"), ""},
		"an unknown coding":                   {head + "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n" + rest + get("/smuggled"), ""},
		"a coding after a space":              {head + "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n" + rest + get("/smuggled"), ""},
		"a coding in a folded line":           {head + "Content-Length: 5\r\nX: y\r\n Transfer-Encoding: chunked\r\n" + rest + get("/smuggled"), ""},
		"a coding after a bare line feed":     {head + "Content-Length: 5\r\nX: y\nTransfer-Encoding: chunked\r\n" + rest + get("/smuggled"), ""},
		"a coding after a bare return":        {head + "Content-Length: 5\r\nX: y\rTransfer-Encoding: chunked\r\n" + rest + get("/smuggled"), ""},
		"a coding after a tab":                {head + "Content-Length: 5\r\nTransfer-Encoding:\tchunked\r\n" + rest + get("/smuggled"), ""},
		"a name with a control byte":          {head + "Content-Length: 5\r\nTransfer-Encoding\x00: chunked\r\n" + rest + get("/smuggled"), ""},
		"two lengths":                         {head + "Content-Length: 5\r\nContent-Length: 6\r\n" + rest + get("/smuggled"), ""},
		"one length twice":                    {head + "Content-Length: 5\r\nContent-Length: 5\r\n" + rest, ""},
		"a list of lengths":                   {head + "Content-Length: 5, 5\r\n" + rest, ""},
		"a length with a plus":                {head + "Content-Length: +5\r\n" + rest, ""},
		"a length with a minus":               {head + "Content-Length: -5\r\n" + rest, ""},
		"a length in hexadecimal":             {head + "Content-Length: 0x5\r\n" + rest, ""},
		"a length with an underscore":         {head + "Content-Length: 1_0\r\n" + rest, ""},
		"a length in other digits":            {head + "Content-Length: ٥\r\n" + rest, ""},
		"a length of nothing":                 {head + "Content-Length:\r\n" + rest, ""},
		"a length beyond all numbers":         {head + "Content-Length: 18446744073709551621\r\n" + rest, ""},
		"no length":                           {head + rest, ""},
		"a GET with a length":                 {"GET /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + rest, ""},
		"no host":                             {"GET /p HTTP/1.1\r\n\r\n", ""},
		"an empty host":                       {"GET /p HTTP/1.1\r\nHost:\r\n\r\n", ""},
		"two hosts":                           {"GET /p HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", ""},
		"a wrong host":                        {"GET /p HTTP/1.1\r\nHost: x/y\r\n\r\n", ""},
		"a field without a name":              {"GET /p HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", ""},
		"a field without a colon":             {"GET /p HTTP/1.1\r\nHost: x\r\nX\r\n\r\n", ""},
		"a first field that is folded":        {"GET /p HTTP/1.1\r\n Host: x\r\n\r\n", ""},
		"a value that is not ASCII":           {"GET /p HTTP/1.1\r\nHost: x\r\nX: ü\r\n\r\n", ""},
		"a value with a control byte":         {"GET /p HTTP/1.1\r\nHost: x\r\nX: \x7f\r\n\r\n", ""},
		"line feeds only":                     {"GET /p HTTP/1.1\nHost: x\n\n", ""},
		"line feeds, and a request behind":    {"POST /p HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello" + get("/next"), ""},
		"an empty line before a first":        {"\r\n" + get("/p"), ""},
		"an empty line behind a GET":          {get("/p") + "\r\n" + get("/p"), got + "\n400 400 Bad Request and closes"},
		"many empty lines behind a POST":      {head + "Content-Length: 5\r\n" + rest + "\r\n\r\n\r\n" + get("/p"), "200 http1:POST /p hello\n400 400 Bad Request and closes"},
		"an odd one behind a plain one":       {get("/p") + "PUT /q HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + rest, "200 http1:GET /p \n200 net/http:PUT /q hello"},
		"plain ones behind an odd one":        {get("/p") + "PUT /q HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" + get("/p"), ""},
		"rubbish behind a plain one":          {post("/p", "hello") + "\x00\x01\x02\x03", "200 http1:POST /p hello\n400 400 Bad Request and closes"},
		"content that is longer than it says": {head + "Content-Length: 1\r\n" + rest, "200 http1:POST /p h\n400 400 Bad Request and closes"},
	}
	ours, others := serveUnix(t, newServer(tell, new(logtest.Buffer))), serveUnix(t, newOther(tell))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, want := exchange(t, ours, test.sent), exchange(t, others, test.sent)
			if !same(got, want) {
				t.Errorf("%.300q is answered with %.300q, want %.300q as net/http does", test.sent, got, want)
			}
			if test.plain != "" && strings.Join(got, "\n") != test.plain {
				t.Errorf("%.300q is answered with %.300q, want %.300q", test.sent, got, test.plain)
			}
			if test.plain == "" && len(got) > 0 && strings.Contains(got[len(got)-1], "http1:") {
				t.Errorf("%.300q is answered with %.300q, want it to be for net/http", test.sent, got)
			}
		})
	}
}
