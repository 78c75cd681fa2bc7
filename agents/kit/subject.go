package kit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// subjectOf returns what is to be reviewed. It refuses a consultation whose content does not have the digest that the verdict will name. Otherwise anybody
// who can reach the agent could show it a harmless text with the digest of another one.
func subjectOf(said assignment, parts []*a2a.Part) ([]*a2a.Part, error) {
	var digest string // as the parts are, not as they may be meant
	for _, subject := range [][]*a2a.Part{withoutMetadata(parts), withNames(parts)} {
		got, err := digestOf(subject)
		if err != nil {
			return nil, fault.Invalid("message.parts", "SUBJECT_INVALID", "what is to be reviewed cannot be read: %w", err)
		}
		if got == said.SubjectDigest {
			return subject, nil
		}
		digest = cmp.Or(digest, got)
	}
	return nil, fault.New(fault.FailedPrecondition, "SUBJECT_MISMATCH", "the content has the digest %s, and the consultation is about %.80q: no verdict is given", digest, said.SubjectDigest)
}

// withoutMetadata returns parts without their metadata, which the digest does not cover: whoever asks directly may have put it there. That under review
// is in a data part.
func withoutMetadata(parts []*a2a.Part) []*a2a.Part {
	bare := make([]*a2a.Part, len(parts))
	for i, p := range parts {
		bare[i] = &a2a.Part{Content: p.Content, Filename: p.Filename, MediaType: p.MediaType}
	}
	return bare
}

// withNames is withoutMetadata, but takes the file names and media types of text and data from there, where Quorate puts them for A2A 0.3, which has no
// other place for them.
func withNames(parts []*a2a.Part) []*a2a.Part {
	named := withoutMetadata(parts)
	for i, p := range named {
		switch p.Content.(type) {
		case a2a.Text, a2a.Data:
			p.Filename, _ = parts[i].Metadata["filename"].(string)
			p.MediaType, _ = parts[i].Metadata["mediaType"].(string)
		}
	}
	return named
}

// digestOf returns the digest of parts as Quorate computes it: SHA-256 over the number of parts and, for each of them, kind, text, raw, url, data,
// filename and media type, each field preceded by its length in eight bytes. Data is JSON with sorted keys.
func digestOf(parts []*a2a.Part) (string, error) {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(parts))))
	for _, p := range parts {
		var kind string
		var text, raw, url, data []byte
		switch content := p.Content.(type) {
		case a2a.Text:
			kind, text = "text", []byte(content)
		case a2a.Raw:
			kind, raw = "raw", content
		case a2a.URL:
			kind, url = "url", []byte(content)
		case a2a.Data:
			var err error
			kind = "data"
			if data, err = json.Marshal(content.Value); err != nil {
				return "", fmt.Errorf("encoding a data part: %w", err)
			}
		}
		for _, field := range [][]byte{[]byte(kind), text, raw, url, data, []byte(p.Filename), []byte(p.MediaType)} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
			h.Write(field)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
