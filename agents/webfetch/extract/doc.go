// Package extract converts the bytes of a web document to what a reader wants: the main content as Markdown, text or HTML, its links, its metadata,
// or the part that a selector matches.
//
// It opens no connection. The bytes are assumed to be hostile: time, memory, nodes, depth, table cells and links are bounded, and nothing panics. A
// document that would take too much work is read as plain text from its tokens instead, which [Content.Degraded] reports. The result is still foreign
// text: whoever puts it into a prompt must mark it as data.
//
// Every failure is a fault with one of the reasons of this package (see Reason…). Its message does not name the document, since the caller knows the
// URL.
package extract
