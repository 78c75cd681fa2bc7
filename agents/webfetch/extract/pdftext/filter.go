package pdftext

import (
	"bufio"
	stdlzw "compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"io"
	"regexp"

	"github.com/ledongthuc/pdf"
	"golang.org/x/image/tiff/lzw"
)

// The library panics on streams with filters that it does not know, and returns no stream as it is stored. So the key of such filters is renamed
// before it reads the file: it then finds no filter and leaves the decoding to stream.
const (
	filterKey = "/Filter"
	storedKey = "/Stored" // of the same length, so that everything stays where it is
)

// unknownFilters finds the filters of streams of which the library does not know at least one.
var unknownFilters = regexp.MustCompile(filterKey + `(` + whiteSpace + `\[?(?:` + whiteSpace + `/[0-9A-Za-z]+)*?` + whiteSpace + `/(?:LZW|RunLength|ASCIIHex)Decode\b)`)

// takeFilters returns data in which the keys of filters that the library does not know are renamed.
func takeFilters(data []byte) []byte {
	if !unknownFilters.Match(data) {
		return data
	}
	return unknownFilters.ReplaceAll(data, []byte(storedKey+"$1"))
}

var (
	errFilter    = errors.New("a stream has an unknown filter")
	errPredictor = errors.New("a stream has a predictor") // as pictures and cross-reference tables have, but no text
)

// stream returns the decoded bytes of a stream. It panics when they cannot be decoded, and reading panics when the time is used up.
func (d *document) stream(v pdf.Value) io.Reader {
	in := io.Reader(v.Reader())
	filters, parameters := v.Key(storedKey[1:]), v.Key("DecodeParms")
	switch {
	case filters.Kind() == pdf.Name:
		in = decoded(pacedReader{in, d.source}, filters.Name(), parameters)
	case filters.Len() > maxFilters:
		panic(errFilter)
	case filters.Kind() == pdf.Array:
		for i := range filters.Len() {
			in = decoded(pacedReader{in, d.source}, filters.Index(i).Name(), parameters.Index(i))
		}
	}
	return pacedReader{in, d.source}
}

const maxFilters = 4 // of one stream

func decoded(in io.Reader, filter string, parameters pdf.Value) io.Reader {
	if parameters.Key("Predictor").Int64() > 1 {
		panic(errPredictor)
	}
	switch filter {
	case "LZWDecode":
		if early := parameters.Key("EarlyChange"); early.Kind() == pdf.Integer && early.Int64() == 0 {
			return stdlzw.NewReader(in, stdlzw.MSB, 8)
		}
		return lzw.NewReader(in, lzw.MSB, 8)
	case "RunLengthDecode":
		return &runLengths{in: bufio.NewReader(in)}
	case "ASCIIHexDecode":
		return hex.NewDecoder(&digits{in: in, end: '>'})
	case "ASCII85Decode":
		return ascii85.NewDecoder(&digits{in: in, end: '~'})
	case "FlateDecode":
		inflated, err := zlib.NewReader(in)
		if err != nil {
			panic(err)
		}
		return inflated
	}
	panic(errFilter)
}

// runLengths decodes RunLengthDecode (ISO 32000 §7.4.5): a length of up to 127 stands before one more bytes than it says, and a larger one before a byte
// that stands for 257 less the length.
type runLengths struct {
	in   *bufio.Reader
	left int
	same bool // the rest of the run is the next byte, again and again
}

// Read implements io.Reader.
func (r *runLengths) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.left == 0 {
			if err = r.begin(); err != nil {
				return n, err
			}
		}
		if p[n], err = r.in.ReadByte(); err != nil {
			return n, io.ErrUnexpectedEOF
		}
		if r.left--; r.same && r.left > 0 {
			_ = r.in.UnreadByte() // it was just read
		}
		n++
	}
	return n, nil
}

// begin reads the length of a run.
func (r *runLengths) begin() error {
	const end = 128
	length, err := r.in.ReadByte()
	switch {
	case err != nil:
		return err
	case length == end:
		return io.EOF
	}
	r.same = length > end
	if r.left = int(length) + 1; r.same {
		r.left = 257 - int(length)
	}
	return nil
}

// digits reads text up to a byte, and leaves white space out.
type digits struct {
	in    io.Reader
	end   byte
	ended bool
}

// Read implements io.Reader.
func (d *digits) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && !d.ended {
		var read int
		read, err = d.in.Read(p)
		for _, c := range p[:read] {
			if d.ended = d.ended || c == d.end; !d.ended && !blank(c) {
				p[n] = c
				n++
			}
		}
	}
	if n == 0 && d.ended {
		err = io.EOF
	}
	return n, err
}
