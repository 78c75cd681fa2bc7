// Package webfetch reads one web page for an agent and returns its main content as Markdown, text or HTML.
//
// A page is read only when its origin is allowed, and every hop of a redirect passes the list of allowed origins and
// package netguard again. Everything is bounded: time, redirects, bytes on the wire and after decompression, nodes, depth,
// table cells, characters returned. What a page says is data from outside: whoever puts it in a prompt must mark it so.
//
// Every failure is a fault with one of the reasons of this package (see Reason…); its message says what went wrong, where
// (with the values of the query left out) and what to do.
package webfetch
