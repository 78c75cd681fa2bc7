// Package extract converts the bytes of a web document to what a reader wants: the main content as Markdown, text or HTML, its links, its metadata,
// or the part that a selector matches.
//
// It opens no connection. The bytes are assumed to be hostile: time, memory, nodes, depth, table cells and links are bounded, and nothing panics. A
// document that would take too much work is read as plain text from its tokens instead, which [WarnComplex] reports. The result is still foreign
// text: whoever puts it into a prompt must mark it as data.
//
// Every failure is a fault with one of the reasons of this package (see Reason…). Its message does not name the document, since the caller knows the
// URL.
//
// Where to begin: Extract in extract.go decides by media.go and charset.go what a document is, and html.go, feed.go, json.go and pdf.go read each kind. For
// HTML, complexity.go bounds the parser; invisible.go and hidden.go decide what readers do not see, with sheet.go, style.go and compound.go for style sheets;
// sidecontent.go and documentation.go remove and undo what is not content; article.go and page.go find the content, which runs.go, match.go and graft.go look up
// again in the page, and twin.go, lead.go, code.go, quote.go, row.go, list.go, heading.go and trail.go add to and take from; prepare.go, clean.go and
// element.go make it harmless; markdown.go, card.go, table.go, cell.go, text.go, spell.go and escape.go write it. What is too much to parse is read by
// scan.go. selector.go, css.go, xpath.go and jsonpath.go are for parts that a caller selects. What all of them ask of a tree and of its class names is in
// dom.go and words.go.
package extract
