// Package webfetch reads one web page for an agent and returns its main content as Markdown, text or HTML.
//
// A page is read only if its host is allowed. Each hop of a redirect must pass the allowlist and package netguard again. Everything is bounded: time,
// redirects, bytes before and after decompression, nodes, depth, table cells, and the number of characters returned. A page's content comes from
// outside: whoever puts it into a prompt must mark it as data.
//
// Every failure is a fault with one of the reasons of this package (see Reason…). Its message says what went wrong, where (without the values in the
// URL's query) and what to do.
package webfetch
