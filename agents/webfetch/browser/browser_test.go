package browser_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/browser"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// find returns a real Chromium; without one the test is skipped, but not in CI.
func find(t *testing.T) *browser.Browser {
	t.Helper()
	b, ok := browser.Find(browser.Options{NoSandbox: os.Geteuid() == 0})
	if ok {
		return b
	}
	if config.Env("QUORATE_CI") == "1" {
		t.Fatal("there is no Chromium, and CI has to test with one")
	}
	t.Skip("there is no Chromium here; install one, such as apt-get install chromium")
	return nil
}

// newFetcher returns a fetcher that may read the hosts and has a browser.
func newFetcher(t *testing.T, hosts ...string) *webfetch.Fetcher {
	t.Helper()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: hosts}, AllowedHosts: hosts, Browser: find(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// shell is a page that its script fills.
const shell = `<!doctype html><title>App</title><div id="app"></div><script>
setTimeout(() => { document.getElementById("app").innerHTML = "<h1>Rendered</h1><p>" + "This sentence was written by a script. ".repeat(20) + "</p>" }, 50)
</script>`

func serve(t *testing.T, h http.HandlerFunc) (url, host string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, s.Listener.Addr().String()
}

func page(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, body)
	}
}

func TestPagesThatNeedScripts(t *testing.T) {
	site, host := serve(t, page(shell))
	f := newFetcher(t, host)
	for render, want := range map[webfetch.Render]bool{webfetch.RenderNever: false, webfetch.RenderAuto: true, webfetch.RenderAlways: true} {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: render})
		if err != nil || p.Rendered != want || strings.Contains(p.Content, "written by a script") != want {
			t.Errorf("Fetch(render %s) = %q, rendered %t, %v, want rendered %t", render, p.Content, p.Rendered, err, want)
		}
	}
}

func TestShadowTreesOfScriptsAreRead(t *testing.T) {
	site, host := serve(t, page(`<!doctype html><html lang="en"><title>App</title><x-app></x-app><script>
customElements.define("x-app", class extends HTMLElement { connectedCallback() {
	this.attachShadow({mode: "open"}).innerHTML = "<p>" + "This one is in the outer tree. ".repeat(20) + "</p><x-part></x-part>" } })
customElements.define("x-part", class extends HTMLElement { connectedCallback() {
	this.attachShadow({mode: "open"}).innerHTML = "<p>" + "This one is in the inner tree. ".repeat(20) + "</p>" } })
</script>`))
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAuto})
	if err != nil || !p.Rendered || !strings.Contains(p.Content, "in the outer tree") || !strings.Contains(p.Content, "in the inner tree") || p.Language != "en" {
		t.Errorf("Fetch() = %q in %q, rendered %t, %v, want what is in the shadow trees", p.Content, p.Language, p.Rendered, err)
	}
}

func TestAutoLeavesPagesWithTextAlone(t *testing.T) {
	site, host := serve(t, page("<p>"+strings.Repeat("This is enough text. ", 30)+"</p><script>document.body.innerHTML = ''</script>"))
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAuto})
	if err != nil || p.Rendered || !strings.Contains(p.Content, "enough text") {
		t.Errorf("Fetch(render auto) = rendered %t, %v, want the page as it came", p.Rendered, err)
	}
}

// TestAutoDoesNotDependOnWhatIsAskedFor has a shell that says more about itself than it shows, and a page of which little is asked for.
func TestAutoDoesNotDependOnWhatIsAskedFor(t *testing.T) {
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/app":
			_, _ = io.WriteString(w, `<meta name="description" content="`+strings.Repeat("It is a shell. ", 30)+`">`+shell)
		case "/page":
			_, _ = io.WriteString(w, "<h1>Page</h1><script>let a</script><p>"+strings.Repeat("This is enough text. ", 30)+"</p>")
		default:
			http.NotFound(w, r)
		}
	})
	f := newFetcher(t, host)
	for name, asked := range map[string]webfetch.Request{
		"JSON": {Format: webfetch.JSON}, "links": {Format: webfetch.Links}, "what matches": {Selector: "h1"},
	} {
		asked.Render = webfetch.RenderAuto
		for path, want := range map[string]bool{"/app": true, "/page": false} {
			asked.URL = site + path
			if p, err := f.Fetch(t.Context(), asked); err != nil || p.Rendered != want {
				t.Errorf("Fetch(%s of %s, render auto) = %.100q, rendered %t, %v, want rendered %t", name, path, p.Content, p.Rendered, err, want)
			}
		}
	}
}

// TestNoRequestOfAPageReachesLoopback has a page try every way that Chromium has to make a request; the victim listens on
// loopback, where Chromium dials without its proxy unless told otherwise.
func TestNoRequestOfAPageReachesLoopback(t *testing.T) {
	var reached atomic.Int64
	victim := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	victim.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			reached.Add(1)
		}
	}
	victim.Start()
	defer victim.Close()
	_, port, err := net.SplitHostPort(victim.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{"http://127.0.0.1:" + port, "http://localhost:" + port, "http://[::1]:" + port, "http://127.1:" + port, "http://0.0.0.0:" + port, "http://2130706433:" + port, "http://169.254.169.254"}
	var tries strings.Builder
	for _, target := range targets {
		ws := strings.Replace(target, "http", "ws", 1)
		fmt.Fprintf(&tries, `<img src="%[1]s/img"><iframe src="%[1]s/frame"></iframe><script src="%[1]s/script"></script><link rel="stylesheet" href="%[1]s/css">
<link rel="preconnect" href="%[1]s"><link rel="prefetch" href="%[1]s/prefetch"><object data="%[1]s/object"></object><video src="%[1]s/video" autoplay></video>
<script>fetch("%[1]s/fetch").catch(() => {}); fetch("%[1]s/cors", {mode: "no-cors"}).catch(() => {}); navigator.sendBeacon("%[1]s/beacon");
try { new WebSocket("%[2]s/ws") } catch (e) {} ; new EventSource("%[1]s/events"); let x%[3]d = new XMLHttpRequest(); x%[3]d.open("GET", "%[1]s/xhr"); x%[3]d.send();
import("%[1]s/module.js").catch(() => {});</script>`, target, ws, len(tries.String()))
	}
	webRTC := fmt.Sprintf(`<script>try { let pc = new RTCPeerConnection({iceServers: [{urls: "turn:127.0.0.1:%s?transport=tcp", username: "u", credential: "c"}, {urls: "stun:127.0.0.1:%s"}]});
pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o)) } catch (e) {}</script>`, port, port)
	site, host := serve(t, page("<h1>Attack</h1><p>text</p>"+tries.String()+webRTC+`<iframe src="file:///etc/passwd"></iframe><p>`+strings.Repeat("more text ", 30)+"</p>"))
	f := newFetcher(t, host)
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Format: webfetch.Text})
	if err != nil || !strings.Contains(p.Content, "more text") {
		t.Errorf("Fetch(the attacking page) = %q, %v, want its own text", p.Content, err)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached the victim on loopback, want 0", n)
	}
}

func TestNavigationIsGuarded(t *testing.T) {
	var reached atomic.Int64
	victim, _ := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, victim, http.StatusFound)
		case "/script":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, "<script>location = %q</script>", victim)
		case "/refresh":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<meta http-equiv="refresh" content="0;url=%s">`, victim)
		case "/missing":
			http.NotFound(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	f := newFetcher(t, host)
	for path, code := range map[string]webfetch.Code{
		"/redirect": webfetch.CodeSSRF, "/script": webfetch.CodeSSRF, "/refresh": webfetch.CodeSSRF, "/missing": webfetch.CodeStatus,
	} {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path, Render: webfetch.RenderAlways})
		before := p.Success && p.URL == site+path && path != "/redirect" // it was read before it went on
		named := code != webfetch.CodeSSRF || strings.HasPrefix(p.Error, "cannot fetch "+victim+"/: ")
		if !before && (p.ErrorCode != code || !named) {
			t.Errorf("Fetch(%s) = %+v, %v, want no page of the victim, and %s that names where it leads", path, p, err, code)
		}
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: victim, Render: webfetch.RenderAlways}); err == nil {
		t.Errorf("Fetch(the victim) = %+v, want a refusal", p)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests reached the victim, want 0", n)
	}
}

// TestWhyAPageDoesNotLoad has pages fail for reasons that Chromium does not see, since the proxy makes its connections.
func TestWhyAPageDoesNotLoad(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	nobody := closed.Listener.Addr().String()
	closed.Close()
	unlisted, unlistedHost := serve(t, page("<p>unlisted"))
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/unlisted":
			http.Redirect(w, r, unlisted, http.StatusFound)
		case "/nobody":
			http.Redirect(w, r, "http://"+nobody+"/", http.StatusFound)
		case "/nobody-tls":
			http.Redirect(w, r, "https://"+nobody+"/", http.StatusFound)
		case "/ends":
			panic(http.ErrAbortHandler)
		case "/bad":
			http.Error(w, "bad", http.StatusBadGateway)
		case "/login":
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			http.Error(w, "who?", http.StatusUnauthorized)
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="a.html"`)
			_, _ = io.WriteString(w, "<p>text")
		case "/empty":
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(w, r)
		}
	})
	f, err := webfetch.New(webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{host, nobody, unlistedHost}}, AllowedHosts: []string{host, nobody}, Browser: find(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for path, want := range map[string]struct {
		code webfetch.Code
		kind fault.Kind
		of   string
	}{
		"/unlisted":   {webfetch.CodeDomain, fault.PermissionDenied, unlisted + "/: the page redirects there"},
		"/nobody":     {webfetch.CodeNetwork, fault.Unavailable, "http://" + nobody + "/: "},
		"/nobody-tls": {webfetch.CodeNetwork, fault.Unavailable, "https://" + nobody + "/: "},
		"/ends":       {webfetch.CodeRender, fault.Unavailable, site + "/ends: "},
		"/empty":      {webfetch.CodeRender, fault.Unavailable, site + "/empty: "},
		"/bad":        {webfetch.CodeStatus, fault.Unavailable, site + "/bad: "},
		"/login":      {webfetch.CodeRender, fault.FailedPrecondition, site + "/login: the browser could not show it: the server asks for a password"},
		"/file":       {webfetch.CodeRender, fault.FailedPrecondition, site + "/file: the browser could not show it: it is a file to keep"},
		"/missing":    {webfetch.CodeStatus, fault.NotFound, site + "/missing: "},
	} {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path, Render: webfetch.RenderAlways})
		if p.ErrorCode != want.code || fault.KindOf(err) != want.kind || !strings.HasPrefix(p.Error, "cannot fetch "+want.of) || strings.Count(p.Error, "cannot fetch") != 1 {
			t.Errorf("Fetch(%s) = %s %s, %q, want %s %s of %s, said once", path, fault.KindOf(err), p.ErrorCode, p.Error, want.kind, want.code, want.of)
		}
	}
}

func TestAPageIsWaitedForWhileThereIsNone(t *testing.T) {
	site, host := serve(t, page("<p>"+strings.Repeat("This is enough text. ", 30)+`</p><script>
addEventListener("load", () => { const all = document.documentElement; all.remove(); setTimeout(() => document.append(all), 1000) })</script>`))
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
	if err != nil || !strings.Contains(p.Content, "enough text") {
		t.Errorf("Fetch(a page that is away for a second) = %q, %v, want its text", p.Content, err)
	}
}

func TestWhatIsNoPageIsNotRendered(t *testing.T) {
	for contentType, body := range map[string]string{"application/pdf": "%PDF-1.4\n", "image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg"/>`} {
		site, host := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		})
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
		if p.ErrorCode != webfetch.CodeRender || !strings.Contains(p.Error, contentType) {
			t.Errorf("Fetch(%s) = %q, %v, want %s that names the type", contentType, p.Content, err, webfetch.CodeRender)
		}
	}
}

func TestABrowserEndsWithItsPage(t *testing.T) {
	site, host := serve(t, page("<p>x</p><script>for (;;) {}</script>"))
	f := newFetcher(t, host)
	begin := time.Now()
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Timeout: 4 * time.Second})
	if p.ErrorCode != webfetch.CodeTimeout || time.Since(begin) > 15*time.Second {
		t.Errorf("Fetch(an endless script) = %+v, %v after %s, want a timeout after 4s", p, err, time.Since(begin))
	}
	out, _ := exec.CommandContext(t.Context(), "ps", "-eo", "ppid,args").Output() // without ps there is nothing to look at
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(strings.TrimSpace(line), strconv.Itoa(os.Getpid())+" ") && strings.Contains(line, "--headless") && !strings.Contains(line, "defunct") {
			t.Errorf("a browser is left over: %.200s", line)
		}
	}
}

func TestASlowSiteLeavesTheBrowserForOthers(t *testing.T) {
	asked, over := make(chan struct{}, 8), make(chan struct{})
	slow, slowHost := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		asked <- struct{}{}
		<-over
	})
	_, host := serve(t, page(shell))
	host = strings.Replace(host, "127.0.0.1", "localhost", 1) // another site
	f := newFetcher(t, slowHost, host)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 4 {
		waiting.Go(func() {
			_, _ = f.Fetch(ctx, webfetch.Request{URL: slow + "/", Render: webfetch.RenderAlways, Timeout: 5 * time.Minute}) // until it is canceled
		})
	}
	<-asked
	<-asked
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://" + host + "/", Render: webfetch.RenderAlways})
	if err != nil || !strings.Contains(p.Content, "written by a script") {
		t.Errorf("Fetch(while another site is slow) = %q, %v, want the page", p.Content, err)
	}
	cancel()
	close(over)
	waiting.Wait()
}

func TestPagesThatIntrude(t *testing.T) {
	text := "<p>" + strings.Repeat("This is enough text. ", 30) + "</p>"
	tell := func(what string) string { return "<script>document.body.append(" + what + ")</script>" }
	for name, test := range map[string]struct{ page, want string }{
		"dialogs": {text + tell(`["told", alert(1), confirm(2), prompt(3)]`), "told,,false,"},
		"windows": {text + tell(`[1, 2, 3].map(() => "opened " + (window.open("about:blank", "_blank", "popup") !== null))`), "opened false,opened false,opened false"},
	} {
		site, host := serve(t, page(test.page))
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Format: webfetch.Text, Timeout: 20 * time.Second})
		if err != nil || !strings.Contains(p.Content, test.want) {
			t.Errorf("%s: Fetch() = %q, %v, want it to contain %q", name, p.Content, err, test.want)
		}
	}
}

func TestPagesWriteNoFiles(t *testing.T) {
	name := fmt.Sprintf("download-%d-%d.txt", os.Getpid(), time.Now().UnixNano())
	site, host := serve(t, page("<p>text</p><a id=a download="+name+" href='data:text/plain,x'>y</a><script>a.click()</script>"))
	if p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways}); err != nil || !strings.Contains(p.Content, "text") {
		t.Errorf("Fetch(a page that downloads) = %q, %v, want its text", p.Content, err)
	}
	if _, err := os.Stat("/nonexistent/Downloads/" + name); !os.IsNotExist(err) { // root may make the folder
		t.Errorf("Stat(the download) = %v, want none", err)
	}
}

// TestWhatAPageAnswersIsBounded has the page answer with an object of 200 MB where its text is asked for.
func TestWhatAPageAnswersIsBounded(t *testing.T) {
	site, host := serve(t, page(`<p>text</p><script>let large = "x".repeat(100e6);
Object.defineProperty(Element.prototype, "outerHTML", {get: () => ({length: 1, a: large, b: large})})</script>`))
	before := allocated()
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
	if made := allocated() - before; err == nil || made > 100<<20 {
		t.Errorf("Fetch() = %.100q, %v with %d MiB of memory, want a refusal with less than 100", p.Content, err, made>>20)
	}
}

func TestTheMemoryOfAPageIsBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux bounds what a process may write to")
	}
	site, host := serve(t, page(`<p>text</p><script>let all = []; try { for (let i = 0; i < 30; i++) all.push(new Uint8Array(50e6).fill(1)) } catch (e) { document.body.append("bounded") }</script>`))
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
	if err != nil || !strings.Contains(p.Content, "bounded") {
		t.Errorf("Fetch(a page that wants 1.5 GB) = %q, %v, want it refused to the page", p.Content, err)
	}
}

func TestAPageThatCrashesIsNotWaitedFor(t *testing.T) {
	for name, script := range map[string]string{"before it is loaded": "fill()", "later": "setTimeout(fill, 200)"} {
		site, host := serve(t, page(`<p>text</p><script>function fill() { for (const all = []; ; ) all.push(new Array(1e6).fill(0).map(i => ({i}))) }
`+script+`</script>`))
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Timeout: 90 * time.Second})
		if p.ErrorCode != webfetch.CodeRender || !strings.Contains(p.Error, "crashed") {
			t.Errorf("%s: Fetch(a page that crashes) = %q, %v, want %s that says so", name, p.Content, err, webfetch.CodeRender)
		}
	}
}

// allocated returns how many bytes this process has ever allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestWithoutABrowser(t *testing.T) {
	if b, ok := browser.Find(browser.Options{Path: "/nonexistent"}); ok {
		t.Errorf("Find(/nonexistent) = %v, want none", b)
	}
	f, err := webfetch.New(webfetch.Options{Open: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.34/", Render: webfetch.RenderAlways}); p.ErrorCode != webfetch.CodeRender {
		t.Errorf("Fetch(render always) without a browser = %+v, %v, want render_error", p, err)
	}
}

func TestAPageWithoutTextIsWaitedFor(t *testing.T) {
	site, host := serve(t, page(`<main id="here"></main><script>setTimeout(() => { here.innerHTML = "<h1>Late</h1><p>" + "This is written late. ".repeat(30) }, 2000)</script>`))
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
	if err != nil || !strings.Contains(p.Content, "written late") {
		t.Errorf("Fetch(a page that has its text after two seconds) = %q, %v, want it", p.Content, err)
	}
}

// TestAPageIsWaitedForWhileItAsks has pages that say that they are loading, which is text, until a script has what it asked for.
func TestAPageIsWaitedForWhileItAsks(t *testing.T) {
	for name, script := range map[string]string{
		"fetch":  `fetch("/late").then(r => r.text()).then(text => here.innerHTML = text)`,
		"XHR":    `let x = new XMLHttpRequest(); x.onload = () => here.innerHTML = x.response; x.open("GET", "/late"); x.send()`,
		"module": `import("/late.js")`,
	} {
		text := "<h1>Late</h1><p>" + strings.Repeat("This is written late. ", 30) + "</p>"
		site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/late") {
				<-time.After(1500 * time.Millisecond)
			}
			switch r.URL.Path {
			case "/late":
				_, _ = io.WriteString(w, text)
			case "/late.js":
				w.Header().Set("Content-Type", "text/javascript")
				_, _ = fmt.Fprintf(w, "here.innerHTML = %q", text)
			default:
				page("<main id=here>Loading, please wait.</main><script>"+script+"</script>")(w, r)
			}
		})
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
		if err != nil || !strings.Contains(p.Content, "written late") {
			t.Errorf("%s: Fetch(a page that asks for its text) = %q, %v, want it", name, p.Content, err)
		}
	}
}

func TestAPageWithAWorkerRests(t *testing.T) {
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/worker.js" {
			w.Header().Set("Content-Type", "text/javascript")
			return
		}
		page("<p>"+strings.Repeat("This is enough text. ", 30)+`</p><script>new Worker("/worker.js"); setTimeout(() => document.body.textContent = "", 4000)</script>`)(w, r)
	})
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways})
	if err != nil || !strings.Contains(p.Content, "enough text") {
		t.Errorf("Fetch(a page with a worker) = %q, %v, want its text before it goes", p.Content, err)
	}
}

func TestAPageThatDoesNotRestIsReadInTime(t *testing.T) {
	for name, script := range map[string]string{
		"grows": `setInterval(() => document.body.append("."), 50)`,
		"asks":  `fetch("/never")`,
	} {
		over := make(chan struct{})
		site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/never" {
				<-over
			}
			page("<p>"+strings.Repeat("This is enough text. ", 30)+"</p><script>"+script+"</script>")(w, r)
		})
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Timeout: 6 * time.Second})
		if err != nil || !strings.Contains(p.Content, "enough text") {
			t.Errorf("%s: Fetch(a page that does not rest, within 6s) = %q, %v, want its text", name, p.Content, err)
		}
		close(over)
	}
}

func TestAPartThatNeverComesDoesNotHoldThePage(t *testing.T) {
	pixel := make(chan struct{})
	body := page("<h1>Text</h1><p>" + strings.Repeat("This is enough text. ", 30) + "</p><img src=/pixel><script>document.body.append('A script ran.')</script>")
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pixel" {
			<-pixel
		}
		body(w, r)
	})
	defer close(pixel)
	p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Timeout: 2 * time.Minute})
	if err != nil || !strings.Contains(p.Content, "enough text") || !strings.Contains(p.Content, "A script ran") {
		t.Errorf("Fetch(a page with a picture that never comes) = %q, %v, want its text", p.Content, err)
	}
}

func TestWhatADocumentWaitsForInVain(t *testing.T) {
	text := "<h1>Text</h1><p>" + strings.Repeat("This is enough text. ", 30) + "</p>"
	for name, document := range map[string]string{
		"a script before the text": "<script src=/never></script>" + text,
		"a script after a style":   "<link rel=stylesheet href=/never><script>let a</script>" + text,
		"its own end":              text + strings.Repeat(" ", 1<<16) + "NEVER",
	} {
		over := make(chan struct{})
		site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/never":
				<-over
			case "/":
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				now, endless := strings.CutSuffix(document, "NEVER")
				_, _ = io.WriteString(w, now)
				if endless {
					_ = http.NewResponseController(w).Flush()
					<-over
				}
			default:
				http.NotFound(w, r)
			}
		})
		p, err := newFetcher(t, host).Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways, Timeout: 12 * time.Second})
		if err != nil || !strings.Contains(p.Content, "enough text") || !slices.Contains(p.Warnings, webfetch.WarnUnfinished) {
			t.Errorf("%s: Fetch() = %q with %v, %v, want its text and %s", name, p.Content, p.Warnings, err, webfetch.WarnUnfinished)
		}
		close(over)
	}
}
