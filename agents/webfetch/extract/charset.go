package extract

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode/utf32"
)

var byteOrderMark = []byte("\ufeff")

// Limits of what is examined.
const (
	metaWindow   = 64 << 10 // bytes that are searched for a meta element; x/net/html/charset reads 1,024, which real pages exceed
	detectWindow = 32 << 10 // bytes that the detector counts
)

// decode converts a body to UTF-8. Evidence in the bytes comes first, then what the server and the page declare, as far as the bytes agree, then
// statistics: wrong declarations are far more common than legacy text that happens to be valid UTF-8. ISO-2022 is an exception, since it is ASCII
// with escapes.
func decode(data []byte, contentType string) (text, charsetName string) {
	e, name := encodingOf(data, contentType)
	if e == nil {
		return validText(data), name
	}
	decoded, err := e.NewDecoder().Bytes(data)
	if err != nil {
		decoded = data // decoders of this standard never fail; should one do so, the bytes are kept
	}
	return validText(decoded), name
}

func validText(data []byte) string {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !utf8.Valid(data) { // this check is fast, what follows is not
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	return string(data)
}

// encodingOf returns the encoding of a document and its name; the encoding is nil for UTF-8.
func encodingOf(data []byte, contentType string) (encoding.Encoding, string) {
	switch {
	case bytes.HasPrefix(data, byteOrderMark):
		return nil, "utf-8"
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")), bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")): // before UTF-16, of which no text begins with a null
		return utf32.UTF32(utf32.BigEndian, utf32.ExpectBOM), "utf-32"
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		e, name, _ := charset.DetermineEncoding(data, "")
		return e, name
	}
	if name := wide(data); name != "" {
		e, _ := charset.Lookup(name)
		return e, name
	}
	escapes := bytes.Contains(data, []byte("\x1b$")) || bytes.Contains(data, []byte("\x1b("))
	if !escapes && utf8.Valid(data) {
		return nil, "utf-8"
	}
	if e, name := charset.Lookup("iso-2022-jp"); escapes && decodes(e, data) {
		return e, name
	}
	if e, name := declaredEncoding(data, contentType); name != "" {
		return e, name
	}
	if e, name := detected(data); e != nil {
		return utf8AsNil(e, name), name
	}
	return charset.Lookup("windows-1252")
}

// minWide is how many bytes have to be there before nulls among them tell anything.
const minWide = 16

// wide returns the UTF-16 that data without a byte order mark is in, or nothing: in markup and in JSON, most letters are a byte and a null. Each
// such byte for itself would be valid UTF-8.
func wide(data []byte) string {
	sample := data[:min(len(data), 1024)&^1]
	var nulls [2]int
	for i, c := range sample {
		if c == 0 {
			nulls[i%2]++
		}
	}
	switch most := len(sample) / 2 * 2 / 5; {
	case len(sample) < minWide:
	case nulls[1] > most && nulls[0]*8 < nulls[1]:
		return "utf-16le"
	case nulls[0] > most && nulls[1]*8 < nulls[0]:
		return "utf-16be"
	}
	return ""
}

// declaredEncoding returns the encoding that the server or the page declares, if the bytes agree, as encodingOf does.
func declaredEncoding(data []byte, contentType string) (encoding.Encoding, string) {
	meta, metaName := declared(metaCharset(data))
	metaFits := meta != nil && decodes(meta, data)
	if header, name := declared(headerCharset(contentType)); header != nil && decodes(header, data) {
		// Many servers declare one of these for every page, whatever it contains.
		if careless := name == "windows-1252" || name == "utf-8"; !careless || !metaFits {
			return utf8AsNil(header, name), name
		}
	}
	if metaFits {
		return utf8AsNil(meta, metaName), metaName
	}
	return nil, ""
}

func utf8AsNil(e encoding.Encoding, name string) encoding.Encoding {
	if name == "utf-8" {
		return nil
	}
	return e
}

func declared(label string) (encoding.Encoding, string) {
	if label == "" {
		return nil, ""
	}
	e, name := charset.Lookup(label)
	if name == "replacement" || name == "x-user-defined" {
		return nil, ""
	}
	return e, name
}

// headerPattern finds the charset in a Content-Type, in whichever way the server spells it: in quotes of either kind, after a comma, twice.
var headerPattern = regexp.MustCompile(`(?i)[;,\s]\s*charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

func headerCharset(contentType string) string {
	if m := headerPattern.FindStringSubmatch(contentType); m != nil {
		return m[1]
	}
	return ""
}

var metaPattern = regexp.MustCompile(`(?is)<meta\s[^>]*?charset\s*=\s*["']?\s*([a-z0-9_:.-]{2,40})|<\?xml\s[^>]*?encoding\s*=\s*["']([a-z0-9_:.-]{2,40})`)

func metaCharset(data []byte) string {
	m := metaPattern.FindSubmatch(data[:min(len(data), metaWindow)])
	if m == nil {
		return ""
	}
	name := strings.ToLower(string(m[1]) + string(m[2]))
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8" // a page in UTF-16 could not be read so far (https://html.spec.whatwg.org/#determining-the-character-encoding)
	}
	return name
}

// decodes reports whether less than 2 % of the text would be replaced.
func decodes(e encoding.Encoding, data []byte) bool {
	sample := data[:min(len(data), metaWindow)]
	text, err := e.NewDecoder().Bytes(sample)
	if err != nil {
		return false
	}
	return bytes.Count(text, []byte("\ufffd"))*50 < utf8.RuneCount(text)
}

// aFewLetters is the confidence of the detector in each encoding that the bytes are not against, when there are too few to tell.
const aFewLetters = 10

// detected guesses the encoding from the bytes outside of tags. Of equally likely ones, which the detector returns in any order, it takes that of the west, or
// else the first by name.
func detected(data []byte) (encoding.Encoding, string) {
	sample := data[:min(len(data), detectWindow)]
	results, err := chardet.NewHtmlDetector().DetectAll(sample)
	if lettersWithMarks(sample) {
		results = slices.DeleteFunc(results, func(r chardet.Result) bool { return ofSigns[r.Charset] })
	}
	if err != nil || len(results) == 0 {
		return nil, ""
	}
	rank := func(r chardet.Result) int {
		if r.Charset == "ISO-8859-1" || r.Charset == "windows-1252" {
			return 0
		}
		return 1
	}
	best := slices.MinFunc(results, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, rank(a)-rank(b), strings.Compare(a.Charset, b.Charset))
	})
	if best.Confidence <= aFewLetters {
		return nil, ""
	}
	if best.Charset == "ISO-8859-2" && isPolishOfWindows(sample) {
		best.Charset = "windows-1250"
	}
	e, name := declared(strings.ToLower(best.Charset))
	if e == nil || !decodes(e, data) {
		return nil, ""
	}
	return e, name
}

// ofSigns are the encodings of Chinese, Japanese and Korean, as the detector names them.
var ofSigns = wordSet("Shift_JIS EUC-JP EUC-KR Big5 GB18030")

// lettersWithMarks reports whether bytes beyond ASCII mostly stand alone, as letters with marks do, while each sign takes two of them or one and another
// byte.
func lettersWithMarks(data []byte) bool {
	beyond, rows := 0, 0
	for i, c := range data {
		if c < utf8.RuneSelf {
			continue
		}
		if beyond++; i == 0 || data[i-1] < utf8.RuneSelf {
			rows++
		}
	}
	return beyond*2 < rows*3
}

// isPolishOfWindows reports whether data, which is in one of the encodings of Central Europe, is Polish in windows-1250. Both have ł in the same place, but
// ą where the other one has š or a sign, and of the languages with ł only Sorbian has š.
func isPolishOfWindows(data []byte) bool {
	has := func(letter byte) bool { return bytes.IndexByte(data, letter) >= 0 }
	return has(0xb3) && has(0xb9) && !has(0xb1)
}
