// Package extract turns the bytes of a web document into what a reader wants of it: the main content as Markdown, text or HTML,
// its links, its metadata, or the part that a selector names.
//
// It opens no connection. The bytes come from anywhere and are assumed to be hostile: time, memory, nodes, depth, table cells
// and links are bounded, nothing panics, and a document that would cost too much is read as plain text from its tokens instead,
// which [Content.Degraded] says. What comes out is still the words of a stranger: whoever puts it in a prompt must mark it so.
//
// Every failure is a fault with one of the reasons of this package (see Reason…). Its message does not name the document, whose
// address the caller knows.
package extract
