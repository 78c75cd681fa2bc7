package webfetch

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

var byteOrderMark = []byte("\ufeff")

// decode turns a body into UTF-8. Bytes that are valid UTF-8 are taken as such whatever the server says: servers that declare
// a wrong charset are far more common than legacy text that happens to be valid UTF-8. ISO-2022 text is ASCII with escapes and
// is the exception.
func decode(data []byte, contentType string) ([]byte, error) {
	escapes := bytes.Contains(data, []byte("\x1b$")) || bytes.Contains(data, []byte("\x1b("))
	if utf8.Valid(data) && !escapes {
		return bytes.TrimPrefix(data, byteOrderMark), nil
	}
	encoding, name, certain := charset.DetermineEncoding(data, contentType)
	if escapes && !certain && name == "windows-1252" {
		encoding, name = charset.Lookup("iso-2022-jp")
	}
	text, err := encoding.NewDecoder().Bytes(data)
	if err != nil {
		return nil, fmt.Errorf("decode the body as %s: %w", name, err)
	}
	return bytes.ToValidUTF8(bytes.TrimPrefix(text, byteOrderMark), []byte("\ufffd")), nil
}
