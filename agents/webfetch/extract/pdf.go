package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	if !sanePDF(source.Data) {
		return fault.New(fault.FailedPrecondition, ReasonTooComplex, "it is a PDF whose tables are too large to read; look for another form of the document")
	}
	text, title, err := pdfText(ctx, source.Data)
	text = strings.TrimSpace(clean(strings.ToValidUTF8(text, "\ufffd")))
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
		return writeLinks(content, plainLinks(text))
	case JSON:
		return describe(content, nil)
	default:
	}
	return nil
}

// pdfText returns the title and the text of all pages, separated by blank lines. After an error the text of the readable pages may still be returned.
// The library cannot be stopped, and panics on many malformed files: the reader that it is given panics too, to end it when its time is used up.
func pdfText(ctx context.Context, data []byte) (text, title string, err error) {
	defer caught(&err)
	limit, done := newBudget(ctx, minPDFTime+time.Duration(len(data)>>10)*timePerMiB>>10)
	defer done()
	file := &boundedFile{limit: limit, data: bytes.NewReader(data), left: maxPDFReads}
	doc, err := pdf.NewReader(file, int64(len(data)))
	if err != nil {
		return "", "", fmt.Errorf("open the PDF: %w", err)
	}
	title = line(doc.Trailer().Key("Info").Key("Title").Text(), maxTitle)
	pages := doc.NumPage()
	if pages > maxPDFPages {
		pages, err = maxPDFPages, errPDFPages
	}
	var out strings.Builder
	shapes, layers := map[string]pdfShape{}, layersOf(doc)
	for i := 1; i <= pages; i++ {
		words, broken := pageText(doc, i, shapes, layers)
		if file.over() {
			return out.String(), title, errPDFWork
		}
		if broken != nil {
			err = broken // an unreadable page does not hide the others
			continue
		}
		out.WriteString(words)
		out.WriteString("\n\n")
		if out.Len() > maxPDFText {
			return out.String(), title, errPDFWork
		}
	}
	return out.String(), title, err
}

// pageText returns the text of one page.
func pageText(doc *pdf.Reader, i int, shapes map[string]pdfShape, layers pdfLayers) (words string, err error) {
	defer caught(&err)
	page := doc.Page(i)
	if page.V.IsNull() {
		return "", nil
	}
	fonts := map[string]*pdf.Font{} // their names are valid within a page
	for _, name := range page.Fonts() {
		font := page.Font(name)
		fonts[name] = &font
	}
	contents := page.V.Key("Contents")
	if contents.Kind() == pdf.Null {
		return "", nil
	}
	text := newPDFPage(fonts, shapes, paperOf(page, layers))
	pdf.Interpret(contents, func(stack *pdf.Stack, op string) {
		values := make([]pdf.Value, stack.Len())
		args := make([]float64, len(values))
		for i := len(values) - 1; i >= 0; i-- {
			values[i] = stack.Pop()
			args[i] = values[i].Float64()
		}
		text.operator(op, args, values)
	})
	return text.words.text(), nil
}

// caught converts a panic of the library to an error.
func caught(err *error) {
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
	return f.data.ReadAt(p, at)
}
