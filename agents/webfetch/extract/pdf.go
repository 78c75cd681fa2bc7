package extract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of PDF.
const (
	minPDFTime  = 150 * time.Millisecond // CPU time, plus more for each MiB: a hostile file of 1 MiB stays below 500 ms and 100 MB
	timePerMiB  = 250 * time.Millisecond
	maxPDFPages = 2000
	maxPDFText  = 4 << 20  // bytes
	minPDFText  = 64 << 10 // bytes, plus some for each byte of the file, which may draw the same text again and again
	textPerByte = 8
	maxPDFReads = 64 << 20 // bytes that may be read from the file: the library reads an object again each time it is referred to
)

var (
	errPDFWork  = errors.New("too much work")
	errPDFPages = errors.New("too many pages")

	errPDFOperator = errors.New("an operator has too few or too many operands")
)

// renderPDF fills content with the text of a PDF.
func renderPDF(ctx context.Context, content *Content, source Source, o Options) error {
	if o.Selector.Expression != "" {
		return fault.Invalid("selector", ReasonSelector, "the document is a PDF, and selectors read HTML and JSON only; leave the selector out")
	}
	source.Data = takeFilters(wholePDF(source.Data))
	if !sanePDF(source.Data) {
		return fault.New(fault.FailedPrecondition, ReasonTooComplex, "it is a PDF whose tables are too large to read; look for another form of the document")
	}
	text, title, links, err := pdfText(ctx, source.Data)
	text = strings.TrimSpace(clean(strings.ToValidUTF8(text, "\ufffd")))
	if strings.Trim(text, "\ufffd \n") == "" {
		text = "" // of letters that nobody knows
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errPDFWork) && text == "":
		return fault.New(fault.FailedPrecondition, ReasonTooComplex, "it is a PDF that takes too long to read before any text comes; look for another form of the document")
	case errors.Is(err, errPDFWork):
		content.Degraded = true
		content.warn(WarnComplex)
		content.warn(WarnIncomplete)
	case err != nil && text != "":
		content.warn(WarnIncomplete)
	case err != nil:
		failed := fault.New(fault.FailedPrecondition, ReasonInvalid, "it is a PDF that cannot be read: broken, encrypted or of an unknown kind; look for another form of the document")
		failed.Cause = err
		return failed
	}
	if text == "" {
		return fault.New(fault.FailedPrecondition, ReasonInvalid, "it is a PDF without text, probably scanned; look for another form of the document")
	}
	content.Text, content.Format, content.Title = text, Text, title
	switch o.Format {
	case Links:
		return writeLinks(content, pdfLinks(text, links, source.URL))
	case JSON:
		return describe(content, nil)
	default:
	}
	return nil
}

// pdfLinks returns the URLs in the text of a PDF and those of its links.
func pdfLinks(text string, links []string, base *url.URL) *linkList {
	list := plainLinks(text)
	for _, to := range links {
		if href, ok := list.resolve(base, to); ok {
			list.add("", href)
		}
	}
	return list
}

// pdfText returns the title, the text of all pages, separated by blank lines, and where their links go. After an error the text of the readable pages may still be returned.
// The library cannot be stopped, and panics on many malformed files: the reader that it is given panics too, to end it when its time is used up.
func pdfText(ctx context.Context, data []byte) (text, title string, links []string, err error) {
	defer recoverPanic(&err)
	limit, done := newBudget(ctx, minPDFTime+time.Duration(len(data)>>10)*timePerMiB>>10)
	defer done()
	file := &boundedFile{limit: limit, data: bytes.NewReader(data), left: maxPDFReads}
	doc, err := pdf.NewReader(file, int64(len(data)))
	if err != nil {
		return "", "", nil, fmt.Errorf("open the PDF: %w", err)
	}
	title = line(doc.Trailer().Key("Info").Key("Title").Text(), maxTitle)
	book := pdfBook{layers: layersOf(doc), file: file, fonts: map[string]*pdfFont{}, most: min(maxPDFText, minPDFText+textPerByte*len(data))}
	if doc.NumPage() > maxPDFPages {
		book.broken = errPDFPages
	}
	err = book.read(doc)
	return book.out.String(), title, book.links, cmp.Or(err, book.broken)
}

// pdfBook is what the pages of a file share, and what was read of them.
type pdfBook struct {
	layers pdfLayers
	file   *boundedFile
	fonts  map[string]*pdfFont // by object, since reading them takes long
	mapped int                 // codes whose letters they state
	most   int                 // bytes of text

	out    strings.Builder
	links  []string // of all pages
	broken error    // why some of them is missing
}

// read reads all pages.
func (b *pdfBook) read(doc *pdf.Reader) (err error) {
	defer recoverPanic(&err)
	count := 0
	b.pages(doc.Trailer().Key("Root").Key("Pages"), pdfLeaf{}, 0, func(leaf pdfLeaf) bool {
		if count++; count > maxPDFPages {
			b.broken = errPDFPages
			return false
		}
		words, broken := b.text(leaf)
		if broken != nil {
			b.broken = broken
		}
		if words = strings.TrimSpace(words); words != "" {
			b.out.WriteString(words)
			b.out.WriteString("\n\n")
		}
		if b.file.over() || b.out.Len() > b.most {
			panic(errPDFWork)
		}
		return true
	})
	return nil
}

// text returns the text of one page, after an error that which came before.
func (b *pdfBook) text(leaf pdfLeaf) (words string, err error) {
	defer recoverPanic(&err)
	text := newPDFPage(b, paperOf(leaf, b.layers))
	defer func() { words = text.words.text() }()
	b.forget()
	if contents := leaf.page.Key("Contents"); contents.Kind() != pdf.Null {
		text.run(contents)
	}
	text.notes(leaf.page)
	return "", nil
}

// recoverPanic converts a panic of the library to an error.
func recoverPanic(err *error) {
	switch p := recover(); {
	case p == nil:
	case p == any(errPDFWork):
		*err = errPDFWork
	default:
		*err = fmt.Errorf("read the PDF: %v", p)
	}
}

// boundedFile ends reading after too many bytes or too much time.
type boundedFile struct {
	limit budget
	data  *bytes.Reader
	left  int
}

var _ io.ReaderAt = (*boundedFile)(nil)

// pdfChunk is how much of a stream is read between two checks of the time: one byte may decompress to a thousand.
const pdfChunk = 512

func (f *boundedFile) over() bool { return f.left < 0 || f.limit.spent() != nil }

func (f *boundedFile) ReadAt(p []byte, at int64) (int, error) {
	if f.left -= len(p); f.over() {
		panic(errPDFWork)
	}
	if len(p) > 2*pdfChunk {
		p = p[:pdfChunk] // buffers ask for more than they need, and decompressing it would take long
	}
	n, err := f.data.ReadAt(p, at)
	if at < int64(len(pdfHeader)) {
		copy(p[:n], pdfHeader[at:])
	}
	return n, err
}

// pdfHeader is how the library wants a file to begin: with no other version, and with the end of a line.
const pdfHeader = "%PDF-1.7\n"

// wholePDF returns data without what stands before its header and behind its end. Readers look for both in the first and the last kilobyte.
func wholePDF(data []byte) []byte {
	const near = 1024
	if begin := bytes.Index(data[:min(len(data), near)], []byte("%PDF-")); begin > 0 {
		data = data[begin:]
	}
	tail := max(0, len(data)-near)
	if end := bytes.LastIndex(data[tail:], []byte("%%EOF")); end >= 0 {
		data = data[:tail+end+len("%%EOF")]
	}
	return data
}
