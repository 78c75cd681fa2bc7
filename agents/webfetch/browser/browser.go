// Package browser renders web pages that need scripts in a headless Chromium.
//
// Each page gets its own Chromium with an empty profile, which ends with the page. What it has written is removed, after a crash of this process by the
// next page. It reaches the network through one proxy on loopback only: not by DNS, not by UDP, and not directly to loopback, which Chromium would do by
// default. The proxy asks the fetch's Gate for every connection.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/fault"
)

// names are the names of Chromium's program, in the order of searching.
var names = []string{"chromium", "chromium-browser", "chrome-headless-shell", "google-chrome-stable", "google-chrome"}

// atOnce is how many pages are rendered at a time, shared among sites as by pace.Slots; others wait. Each takes some 300 MB.
const atOnce = 3

// Options configure a Browser.
type Options struct {
	Path      string // of Chromium; empty looks for it
	NoSandbox bool   // Chromium does not run as root with its sandbox; keep the sandbox wherever possible
}

// Browser is a webfetch.Browser.
type Browser struct {
	path      string
	noSandbox bool
	slots     *pace.Slots
}

var _ webfetch.Browser = (*Browser)(nil)

// Find returns a Browser, or false when Chromium is not installed.
func Find(o Options) (*Browser, bool) {
	wanted := names
	if o.Path != "" {
		wanted = []string{o.Path}
	}
	for _, name := range wanted {
		if path, err := exec.LookPath(name); err == nil {
			return &Browser{path: path, noSandbox: o.NoSandbox, slots: pace.NewSlots(atOnce)}, true
		}
	}
	return nil, false
}

// Render implements webfetch.Browser.
func (b *Browser) Render(ctx context.Context, u *url.URL, gate webfetch.Gate, maxSize int64) (webfetch.Rendered, error) {
	if !b.noSandbox && os.Geteuid() == 0 {
		return webfetch.Rendered{}, fault.New(fault.FailedPrecondition, webfetch.ReasonRender, "Chromium does not run as root with its sandbox; an operator can run this as another user, or switch the sandbox off")
	}
	done, err := b.slots.Take(ctx, u.Hostname())
	if err != nil {
		return webfetch.Rendered{}, failed(err, "it was not its turn in time")
	}
	defer done()
	proxy, err := startProxy(ctx, gate)
	if err != nil {
		return webfetch.Rendered{}, failed(err, "its proxy did not start")
	}
	defer proxy.close()
	return b.show(ctx, u, proxy, maxSize)
}

func (b *Browser) show(ctx context.Context, u *url.URL, proxy *proxy, maxSize int64) (webfetch.Rendered, error) {
	var dialogs sync.WaitGroup
	defer dialogs.Wait()
	tab, end, err := b.start(ctx, proxy.addr())
	if err != nil {
		return webfetch.Rendered{}, failed(err, "there is no room for its files")
	}
	defer end()
	alive, err := untilCrash(tab)
	if err != nil {
		return webfetch.Rendered{}, failed(err, "it did not start")
	}
	if err := refuseDownloads(alive); err != nil {
		return webfetch.Rendered{}, failed(err, "downloads cannot be refused")
	}
	opened := chromedp.Events(alive, page.JavascriptDialogOpening)
	dialogs.Go(func() { dismiss(alive, opened) })
	shown, err := read(alive, u, proxy, maxSize)
	if err != nil && errors.Is(context.Cause(alive), errCrashed) {
		return webfetch.Rendered{}, crashed()
	}
	return shown, err
}

// read loads the page at u into tab and returns what it has become.
func read(tab context.Context, u *url.URL, proxy *proxy, maxSize int64) (webfetch.Rendered, error) {
	pending, err := watchRequests(tab)
	if err != nil {
		return webfetch.Rendered{}, failed(err, "its requests cannot be followed")
	}
	answer, unfinished, err := load(tab, proxy, u.String())
	if err != nil {
		at, err := unloaded(tab, proxy, err)
		return webfetch.Rendered{URL: at}, err
	}
	status := 0
	if answer != nil {
		status = int(answer.Status)
	}
	if status >= 400 {
		at, err := url.Parse(answer.URL)
		if err != nil {
			return webfetch.Rendered{}, failed(err, "its address cannot be read")
		}
		return webfetch.Rendered{URL: at, StatusCode: status}, nil
	}
	if answer != nil && !isPage(answer.MimeType) {
		return webfetch.Rendered{}, fault.New(fault.FailedPrecondition, webfetch.ReasonRender, "it is %q, which a browser shows without a page; leave render out", answer.MimeType)
	}
	if err := settle(tab, pending); err != nil {
		return webfetch.Rendered{}, failed(err, "it did not come to rest")
	}
	final, err := place(tab, proxy)
	if err != nil {
		return webfetch.Rendered{URL: final}, err
	}
	html, err := chromedp.Run(tab, chromedp.Evaluate[string](fmt.Sprintf("(h => typeof h != 'string' || h.length > %d ? '' : h)(%s)", maxSize, markup)))
	if err != nil {
		return webfetch.Rendered{}, failed(err, "its content cannot be read")
	}
	if html == "" || int64(len(html)) > maxSize {
		return webfetch.Rendered{}, fault.New(fault.FailedPrecondition, webfetch.ReasonTooLarge, "it is longer than %d bytes after its scripts ran", maxSize).With("limit", strconv.FormatInt(maxSize, 10))
	}
	return webfetch.Rendered{HTML: html, URL: final, StatusCode: status, Unfinished: unfinished}, nil
}

// place returns where the tab is after its scripts ran. If the page went on, by a script or a refresh, to what cannot be opened, it returns what unloaded does.
func place(tab context.Context, proxy *proxy) (*url.URL, error) {
	at, err := chromedp.Run(tab, chromedp.Location())
	if err != nil {
		return nil, failed(err, "its address cannot be read")
	}
	u, err := url.Parse(at)
	switch {
	case err != nil:
		return nil, failed(err, "its address cannot be read")
	case u.Scheme == "chrome-error":
		return unloaded(tab, proxy, errors.New("it went on to an address that could not be opened"))
	}
	return u, nil
}

// isPage reports whether Chromium makes a page of a document of a type: a PDF and a picture it only shows.
func isPage(mimeType string) bool {
	kind, _, _ := strings.Cut(mimeType, "/")
	return kind != "image" && kind != "audio" && kind != "video" && mimeType != "application/pdf"
}

// unloaded returns the fault for a page that failed to load: why the proxy made no connection, with the URL that it was for, which may be where the page
// redirects; or what Chromium says.
func unloaded(tab context.Context, proxy *proxy, loading error) (*url.URL, error) {
	if tree, err := chromedp.Call(tab, page.GetFrameTree, cdp.Empty{}); err == nil {
		if u, err := url.Parse(tree.FrameTree.Frame.UnreachableURL); err == nil && proxy.failure(u) != nil {
			return u, failed(proxy.failure(u), "there was no connection")
		}
	}
	why, ok := errors.AsType[*chromedp.LoadError](loading)
	if !ok {
		return nil, failed(loading, "it could not be loaded")
	}
	switch why.ErrorText {
	case "net::ERR_HTTP_RESPONSE_CODE_FAILURE":
		return nil, failed(loading, "the server answered with an error and without a page")
	case "net::ERR_INVALID_AUTH_CREDENTIALS":
		return nil, unshown(loading, "the server asks for a password, which a browser is not given")
	case "net::ERR_ABORTED":
		return nil, unshown(loading, "it is a file to keep, or has no content")
	}
	return nil, failed(loading, "it could not be loaded")
}

// unshown returns a fault for what no browser shows as a page, however often it is asked to. Its cause only the log shows.
func unshown(cause error, why string) error {
	err := fault.New(fault.FailedPrecondition, webfetch.ReasonRender, "the browser could not show it: %s; leave render out", why)
	err.Cause = cause
	return err
}

// start returns a tab of a new Chromium that connects through proxy, and what ends it, waits until it has ended and removes what it has written.
func (b *Browser) start(ctx context.Context, proxy string) (tab context.Context, end func(), err error) {
	files, err := newScratch()
	if err != nil {
		return nil, nil, err
	}
	var chromium *exec.Cmd
	starting := chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
		bound(cmd)
		chromium = cmd
	})
	allocator, stop := chromedp.NewExecAllocator(ctx, append(b.flags(proxy, files), starting)...)
	quiet := func(string, ...any) {} // what matters of it is returned as an error; the default is package log
	tab, cancel := chromedp.NewContext(allocator, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	return tab, func() {
		cancel()
		stop()
		endGroup(chromium)
		files.remove()
	}, nil
}

// markup is an expression of JavaScript for the HTML of a page, with the shadow trees that its scripts made as templates.
const markup = `(roots => {
	const look = within => { for (const e of within.querySelectorAll('*')) if (e.shadowRoot) { roots.push(e.shadowRoot); look(e.shadowRoot) } };
	look(document);
	const all = document.documentElement;
	if (!all) return '';
	return roots.length && all.getHTML ? all.cloneNode(false).outerHTML + all.getHTML({shadowRoots: roots}) : all.outerHTML;
})([])`

// flags returns chromedp's flags, and those that keep Chromium behind the proxy and in its directory.
func (b *Browser) flags(proxy string, files scratch) []chromedp.ExecAllocatorOption {
	flags := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	flags = append(flags,
		chromedp.ExecPath(b.path),
		chromedp.NoInheritEnv, // the environment contains secrets, and may set a proxy
		chromedp.Env("PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8", "TMPDIR="+files.path),
		chromedp.UserDataDir(files.profile()),
		chromedp.ProxyServer("http://"+proxy),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"), // otherwise Chromium connects to loopback directly
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("dns-prefetch-disable", true),
		chromedp.Flag("disable-popup-blocking", false), // set by chromedp; each window may be a process of its own
		chromedp.Flag("deny-permission-prompts", true),
		chromedp.Flag("mute-audio", true),
	)
	if b.noSandbox {
		flags = append(flags, chromedp.NoSandbox)
	}
	return flags
}

// failed returns a fault whose cause only the log shows.
func failed(cause error, what string) error {
	if known, ok := errors.AsType[*fault.Error](cause); ok {
		return known
	}
	err := fault.New(fault.Unavailable, webfetch.ReasonRender, "the browser could not show it: %s", what)
	err.Cause = cause
	return err
}
