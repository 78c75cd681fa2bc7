package extract

import (
	"bytes"
	"net/http"
	"strings"
)

// kind is a type of document, as far as reading differs.
type kind int

const (
	kindUnknown kind = iota
	kindText
	kindHTML
	kindJSON
	kindXML // may be a feed or a sitemap
	kindPDF
)

// mediaTypeOf returns the media type of source. The bytes decide where its server says nothing that can be read, or just "bytes".
func mediaTypeOf(source Source) string {
	declared := strings.ToLower(strings.TrimSpace(source.ContentType))
	if end := strings.IndexAny(declared, " \t;,"); end >= 0 { // as browsers read it: real servers forget the semicolon, and proxies join two headers
		declared = declared[:end]
	}
	if kind, name, _ := strings.Cut(declared, "/"); kind != "" && name != "" && !unsaid[declared] {
		return declared
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(source.Data), ";")
	return sniffed
}

// unsaid are the media types that say nothing (https://mimesniff.spec.whatwg.org/#mime-type-sniffing-algorithm), or only that browsers are to save the file.
var unsaid = wordSet(`*/* unknown/unknown application/unknown application/octet-stream binary/octet-stream
application/force-download application/x-force-download application/download application/x-download`)

// kindOf returns how to read source, and its media type. The bytes decide where servers are known to be wrong, as for markup declared as plain text.
func kindOf(source Source) (kind, string) {
	mediaType := mediaTypeOf(source)
	switch {
	case mediaType == "text/html" && beginsFeed(source.Data):
		return kindXML, mediaType
	case mediaType == "text/html", mediaType == xhtmlType:
		return kindHTML, mediaType
	case mediaType == "application/json", mediaType == "text/json", strings.HasSuffix(mediaType, "+json"):
		return kindJSON, mediaType
	case mediaType == "application/pdf", mediaType == "application/x-pdf":
		return kindPDF, mediaType
	case mediaType == "text/xml", mediaType == "application/xml", strings.HasSuffix(mediaType, "+xml"):
		return kindXML, mediaType
	case mediaType == "text/plain" && bytes.HasPrefix(bytes.TrimSpace(head(source.Data)), []byte("<?xml")):
		return kindXML, mediaType // GitHub and many file hosts serve feeds like this
	case strings.HasPrefix(mediaType, "text/"), isTextType(mediaType):
		return kindText, mediaType
	}
	return kindUnknown, mediaType
}

// beginsFeed reports whether the first element of a document is that of a feed or a sitemap, which many servers take for HTML
// (https://mimesniff.spec.whatwg.org/#sniffing-a-mislabeled-feed).
func beginsFeed(data []byte) bool {
	text := string(head(bytes.TrimPrefix(data, byteOrderMark)))
	for s := (scanner{rest: text}); s.next(); {
		switch {
		case s.name != "":
			return rootElements[s.name[strings.LastIndexByte(s.name, ':')+1:]]
		case strings.TrimSpace(s.text) != "":
			return false
		}
	}
	return false
}

// isTextType reports whether a media type of an application is one of text.
func isTextType(mediaType string) bool {
	name, ok := strings.CutPrefix(mediaType, "application/")
	return ok && (textTypes[strings.TrimPrefix(name, "x-")] || strings.HasSuffix(name, "+yaml") || strings.HasSuffix(name, "+json-seq"))
}

// textTypes are names of text, without the x- that some have in front.
var textTypes = wordSet(`javascript ecmascript typescript yaml toml ndjson jsonl jsonlines json-lines json-seq json5 jsonc sql graphql csv markdown
sh shellscript csh perl python python-code ruby php httpd-php tcl lua tex latex bibtex subrip diff patch xml-dtd n-triples n-quads trig sparql-query
pem-file pem-certificate-chain pgp-signature pgp-keys mbox`)

func head(data []byte) []byte { return data[:min(len(data), 512)] }

// isBinary reports whether data, which was read in the given charset, is no text, whatever its server calls it: in pictures, archives and whatever else
// is packed, one byte in ten is a control character that no text has.
func isBinary(data []byte, charset string) bool {
	const rare = 20 // bytes of a text for one of these, at least
	if strings.HasPrefix(charset, "utf-") {
		return false
	}
	controls, all := 0, 0
	for _, c := range data[:min(len(data), 4096)] {
		switch {
		case c == 0: // of numbers in a file, or of wider letters
			continue
		case c < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x1b", rune(c)):
			controls++
		}
		all++
	}
	return controls*rare > all
}
