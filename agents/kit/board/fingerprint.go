package board

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// fingerprint identifies a message by its id, its task and its parts. Metadata is left out, because a message that is sent again may carry
// another trace. The parts are included, because some clients use one id for many messages.
type fingerprint [sha256.Size]byte

// itemBytes is counted for each part, and for each item of a list of strings: many empty ones take memory, too.
const itemBytes = 32

// measure returns the fingerprint of a request's message, and how many bytes the request holds, with everything that is kept of it.
func measure(request *a2a.SendMessageRequest) (fingerprint, int, error) {
	message := request.Message
	h := sha256.New()
	field(h, []byte(message.ID))
	field(h, []byte(message.TaskID))
	total, err := sizeOfMetadata(message.Metadata, request.Metadata)
	if err != nil {
		return fingerprint{}, 0, err
	}
	total += len(message.ID) + len(message.ContextID)
	for _, uri := range message.Extensions {
		total += itemBytes + len(uri)
	}
	for _, id := range message.ReferenceTasks {
		total += itemBytes + len(id)
	}
	for _, part := range message.Parts {
		kind, content, err := contentOf(part)
		if err != nil {
			return fingerprint{}, 0, err
		}
		h.Write([]byte{kind})
		field(h, content)
		field(h, []byte(part.MediaType))
		field(h, []byte(part.Filename))
		size, err := sizeOfPart(part, content)
		if err != nil {
			return fingerprint{}, 0, err
		}
		total += size
	}
	if total > MaxBytes {
		return fingerprint{}, 0, a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("a message holds at most %d MiB with its metadata", MaxBytes>>20))
	}
	return fingerprint(h.Sum(nil)), total, nil
}

// field writes data with its length, so that different lists of fields never give the same bytes.
func field(h hash.Hash, data []byte) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
	h.Write(data)
}

func sizeOf(parts []*a2a.Part) (int, error) {
	total := 0
	for _, part := range parts {
		_, content, err := contentOf(part)
		if err != nil {
			return 0, err
		}
		size, err := sizeOfPart(part, content)
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

func sizeOfPart(part *a2a.Part, content []byte) (int, error) {
	metadata, err := sizeOfMetadata(part.Metadata)
	return itemBytes + len(content) + len(part.MediaType) + len(part.Filename) + metadata, err
}

func sizeOfMetadata(list ...map[string]any) (total int, err error) {
	for _, metadata := range list {
		if len(metadata) == 0 {
			continue
		}
		encoded, err := json.Marshal(metadata)
		if err != nil {
			return 0, fmt.Errorf("encoding metadata: %w", err)
		}
		total += len(encoded)
	}
	return total, nil
}

func contentOf(part *a2a.Part) (kind byte, content []byte, err error) {
	if part == nil {
		return 0, nil, a2a.NewError(a2a.ErrInvalidParams, "a part is null")
	}
	switch c := part.Content.(type) {
	case a2a.Text:
		return 't', []byte(c), nil
	case a2a.Raw:
		return 'r', c, nil
	case a2a.URL:
		return 'u', []byte(c), nil
	case a2a.Data:
		content, err := json.Marshal(c.Value) // sorts the keys of objects
		if err != nil {
			return 0, nil, fmt.Errorf("encoding a data part: %w", err)
		}
		return 'd', content, nil
	}
	return 0, nil, a2a.NewError(a2a.ErrInvalidParams, "a part has no content: text, raw, data or url")
}
