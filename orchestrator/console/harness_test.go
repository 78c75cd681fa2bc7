package console_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/config"
)

const patience = 30 * time.Second // nothing here takes long; more means that it hangs

// quorate is dev mode in this process.
type quorate struct {
	HTTP     string `json:"http"`
	DemoSite string `json:"demo_site"`
	token    string
	stop     func()
}

// start runs dev mode on the data in dir until stop or the end of the test.
func start(t *testing.T, dir string) quorate {
	t.Helper()
	return startWith(t, dir, dev.DefaultConfig())
}

// startWith is start with settings of which it chooses the addresses and the places.
func startWith(t *testing.T, dir string, cfg dev.Config) quorate {
	t.Helper()
	cfg.HTTP.Addr, cfg.GRPC.Addr, cfg.Webfetch.Addr, cfg.Webfetch.Browser, cfg.Telemetry.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "off", "error"
	cfg.Store.DataDir, cfg.PortsFile = filepath.Join(dir, "data"), filepath.Join(dir, "ports.json")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	banner, said := io.Pipe() // dev mode prints its banner when it is ready
	var wg sync.WaitGroup
	wg.Go(func() {
		err := dev.Run(ctx, cfg, said, t.Output())
		said.CloseWithError(err)
		if err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	q := quorate{stop: sync.OnceFunc(func() { cancel(); wg.Wait() })} // the banner is read to its end: dev mode that cannot print it fails
	t.Cleanup(q.stop)
	if _, err := banner.Read(make([]byte, 1)); err != nil {
		t.Fatalf("dev mode is not ready: %v", err)
	}
	wg.Go(func() { _, _ = io.Copy(io.Discard, banner) })
	decode(t, cfg.PortsFile, &q)
	token, err := os.ReadFile(dev.TokenFile(cfg.Store.DataDir))
	if err != nil {
		t.Fatal(err)
	}
	q.token = strings.TrimSpace(string(token))
	return q
}

func decode(t *testing.T, file string, to any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatal(err)
	}
}

// tab is a page in a real Chromium, used by what a person sees: texts of buttons and links, labels of fields.
type tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp keeps the browser in it
}

// watched counts what must not happen in any page: a refusal by the content security policy, an error that nobody handled, a script of a stranger's.
const watched = `window.wrong = [];
addEventListener("securitypolicyviolation", (e) => wrong.push("policy: " + e.effectiveDirective + " " + e.blockedURI + " " + e.sample));
addEventListener("error", (e) => wrong.push("error: " + e.message));
addEventListener("unhandledrejection", (e) => wrong.push("rejection: " + e.reason));
window.owned = () => wrong.push("a stranger's script ran");`

// shared is the browser of all tests, which takes seconds to start. Each test has a profile of its own in it, with nothing that another one stored.
var shared struct {
	sync.Mutex

	ctx  context.Context //nolint:containedctx // chromedp keeps the browser in it
	stop func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code)
}

// chromium returns the browser of all tests. Without Chromium the test is skipped, but not in CI.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := find(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx != nil {
		return shared.ctx
	}
	files, err := os.MkdirTemp("/tmp", "q") //nolint:usetesting // the path of t.TempDir is too long for Chromium's socket, and ends with the test
	if err != nil {
		t.Fatal(err)
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path), chromedp.Env("TMPDIR="+files))
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), flags...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	shared.stop = func() {
		closeBrowser()
		stop()
		_ = os.RemoveAll(files) // Chromium is killed, and removes nothing
	}
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	shared.ctx = browser //nolint:fatcontext // it is set once
	return browser
}

// open opens the console in a new window, with a profile of its own.
func open(t *testing.T, url string, width, height int) *tab {
	t.Helper()
	limit, cancel := context.WithTimeout(chromium(t), 4*patience)
	t.Cleanup(cancel)
	b := newTab(t, limit, url, chromedp.WithNewBrowserContext())
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
	return b
}

// newTab opens url in another tab of the profile that parent has, or will have.
func newTab(t *testing.T, parent context.Context, url string, options ...chromedp.ContextOption) *tab { //nolint:revive // helpers of tests have the test first
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watched}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(url))
	return b
}

func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "chrome-headless-shell", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if config.Env("QUORATE_CI") == "1" {
		t.Fatal("there is no Chromium, and CI has to test with one")
	}
	t.Skip("there is no Chromium here; install one, such as apt-get install chromium")
	return ""
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns what an expression is in the page; %s in it are strings.
func eval[T any](b *tab, expression string, values ...string) T {
	b.t.Helper()
	quoted := make([]any, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			b.t.Fatal(err)
		}
		quoted[i] = string(text)
	}
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf(expression, quoted...)))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true.
func (b *tab) until(what, expression string, values ...string) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !eval[bool](b, expression, values...); <-tick.C {
		if time.Now().After(end) {
			b.shot("waited-in-vain")
			b.t.Fatalf("waited %s in vain: %s; the page at %s says:\n%s", patience, what, eval[string](b, "location.href"), b.text())
		}
	}
}

// sees waits until each text is in the page, as it is shown.
func (b *tab) sees(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until("see "+text, "Boolean(document.body?.innerText.includes(%s))", text)
	}
}

func (b *tab) text() string {
	b.t.Helper()
	return eval[string](b, "document.body.innerText")
}

const named = `[...document.querySelectorAll("button, a, summary")].filter((e) => e.checkVisibility() && !e.ariaDisabled && e.innerText.trim() === %s).at(-1)`

// clicks clicks the last button or link of that text, which is that of a dialog where there is one.
func (b *tab) clicks(text string) {
	b.t.Helper()
	b.until("find "+text, "Boolean("+named+")", text)
	eval[bool](b, "("+named+".click(), true)", text)
}

const labeled = `[...document.querySelectorAll("label")].filter((l) => l.checkVisibility() && l.firstChild.textContent === %s).at(-1)?.control`

// fills writes into the field of a label, or chooses in it.
func (b *tab) fills(label, value string) {
	b.t.Helper()
	b.until("find field "+label, "Boolean("+labeled+")", label)
	eval[bool](b, "((c, v) => { c.focus(); c.value = v; c.dispatchEvent(new Event('change')); return c.value === v })("+labeled+", %s)", label, value)
}

// signIn signs in with a key.
func (b *tab) signIn(key string) {
	b.t.Helper()
	b.fills("API key or token", key)
	b.clicks("Sign in")
}

// nameless lists what a person who does not see the page, or who uses no mouse, could not know or reach.
const nameless = `[
	...[...document.querySelectorAll("input, select, textarea")].filter((c) => !c.labels[0]?.textContent.trim()).map((c) => "no label: " + c.outerHTML),
	...[...document.querySelectorAll("a, button, summary, th, h1, h2, h3")].filter((e) => !e.textContent.trim()).map((e) => "no text: " + e.outerHTML),
	...[...document.querySelectorAll("img")].filter((i) => !i.hasAttribute("alt")).map((i) => "no alt: " + i.outerHTML),
	...[...document.querySelectorAll("[onclick], [tabindex='1'], :not(a, button)[role=button]")].map((e) => "not for the keyboard: " + e.outerHTML),
	...[...document.querySelectorAll("[role=status], [aria-live]")].filter((e) => getComputedStyle(e).display === "none").map((e) => "not heard: " + e.outerHTML),
	...[...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + CSS.escape(e.id)).length > 1).map((e) => "not the only one: " + e.id),
	...(document.querySelectorAll("h1").length === 1 && document.title.length > "Quorate".length ? [] : ["the page has no heading, or no title"]),
]`

// nothingWrong fails when anything happened that watched counts, when the page is wider than the window, or when something in it has no name.
func (b *tab) nothingWrong() {
	b.t.Helper()
	at := eval[string](b, "location.hash")
	for what, found := range map[string]string{"what went wrong": "window.wrong", "what has no name": nameless} {
		if list := eval[[]string](b, found); len(list) > 0 {
			b.t.Errorf("%s at %s: %q", what, at, list)
		}
	}
	if eval[bool](b, "document.documentElement.scrollWidth > innerWidth") {
		b.t.Errorf("the page at %s has to be scrolled sideways", at)
	}
}

// shot keeps a picture of the page as name.png, with go test -artifacts.
func (b *tab) shot(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// goes opens another place of the console and waits for it.
func (b *tab) goes(place string) {
	b.t.Helper()
	eval[bool](b, `(document.querySelector("h1").left = true, location.hash = %s, true)`, "#/"+place)
	b.until("open "+place, `document.querySelector("h1").left === undefined && !document.querySelector("main").hasAttribute("aria-busy")`)
}

// post calls the API with the token and returns the id in the answer, or the token.
func (q quorate) post(t *testing.T, path string, body any) string {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, q.HTTP+path, strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+q.token)
	answer, err := new(http.Client).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("POST %s = %d %s, %v", path, answer.StatusCode, said, err)
	}
	var got struct{ ID, Token string }
	if err := json.Unmarshal(said, &got); err != nil {
		t.Fatal(err)
	}
	return cmp.Or(got.ID, got.Token)
}
