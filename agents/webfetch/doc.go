// Package webfetch reads one web page for an agent and returns its main content as Markdown, text or HTML.
//
// A page is read only if its host is allowed. Each hop of a redirect must pass the allowlist and package netguard again. Everything is bounded: time,
// redirects, bytes before and after decompression, nodes, depth, table cells, and the number of characters returned. A page's content comes from
// outside: whoever puts it into a prompt must mark it as data.
//
// Every failure is a fault with one of the reasons of this package (see Reason…). Its message says what went wrong, where (without the values in the
// URL's query) and what to do.
//
// Where to begin: Fetcher.Fetch in fetcher.go. parse.go reads a Request, and plan.go fills in what it leaves open, from the Profile; admission.go says which
// hosts may be read, and robots.go what robots.txt allows; engine.go reads the page over HTTP, with the Browser or with the MarkdownService of options.go;
// get.go follows redirects, and body.go decompresses; convert.go turns the body into the Page, through package extract, and cut.go cuts it. web.go stacks the
// transports: the cache, retries, the pace of a site, the guard. failure.go, code.go and message.go say how failures are told.
package webfetch
