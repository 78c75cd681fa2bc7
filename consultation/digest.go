package consultation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"
)

// Part is one piece of the content under review.
type Part struct {
	Text      string
	Raw       []byte
	URL       string
	Data      []byte // canonical JSON
	Kind      string // which of the fields above is the content, or the type of an unknown part
	Filename  string
	MediaType string
}

// Digest returns "sha256:" and 64 hexadecimal digits that identify exactly these parts in this order. The length of each field is hashed before the
// field, so that a moved boundary changes the digest just as a changed byte does.
func Digest(parts []Part) string {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(parts))))
	for _, p := range parts {
		for _, field := range [][]byte{
			[]byte(p.Kind), []byte(p.Text), p.Raw, []byte(p.URL), p.Data, []byte(p.Filename), []byte(p.MediaType),
		} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
			h.Write(field)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
