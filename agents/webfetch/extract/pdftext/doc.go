// Package pdftext reads the text of PDF files (ISO 32000-1).
//
// The library finds the objects of a file and decodes its streams. Everything else is done here: a page's operators are executed as far as they move and
// show text, and text that no reader of the page sees is left out. Words and lines are told from where text is shown, because most programs write
// neither spaces nor line breaks.
//
// Files are assumed to be hostile. The library cannot be stopped, allocates by numbers in the file and panics on malformed ones. So those numbers are
// checked before (guard.go), and the source that it reads from panics when CPU time or bytes are used up (source.go); Read recovers from all panics.
package pdftext
