package boltdb

import (
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// MaxItemBytes is the largest item that both stores accept. DynamoDB's own limit is 400 KB, including names and indexes.
const MaxItemBytes = 350 << 10

// CheckItem is CheckSize with MaxItemBytes as the limit.
func CheckItem(what string, size int) error { return CheckSize(what, size, MaxItemBytes) }

// CheckSize returns an InvalidArgument fault with the reason ITEM_TOO_LARGE if size is over the limit, both in bytes. what describes the item in the
// message, where it is shortened: it may contain names from outside that are what is too large.
func CheckSize(what string, size, limit int) error {
	if size <= limit {
		return nil
	}
	return fault.New(fault.InvalidArgument, "ITEM_TOO_LARGE", "%s has %d bytes; the limit is %d: shorten it", fault.ClipTo(what, 200), size, limit)
}

const separator = "\x00"

// NUL separates parts, so NUL and the escape byte inside a part are escaped, in a way that keeps their order below every other byte.
var (
	escape   = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")
	unescape = strings.NewReplacer("\x01\x01", "\x00", "\x01\x02", "\x01")
)

// Key encodes parts as one key. Keys sort part by part, as the parts do, whatever bytes these contain.
func Key(parts ...string) []byte {
	size := len(parts)
	for _, p := range parts {
		size += len(p)
	}
	key := make([]byte, 0, size)
	for i, p := range parts {
		if i > 0 {
			key = append(key, separator...)
		}
		if strings.IndexByte(p, 0) >= 0 || strings.IndexByte(p, 1) >= 0 { // rare; otherwise a copy suffices
			p = escape.Replace(p)
		}
		key = append(key, p...)
	}
	return key
}

// Prefix returns the common prefix of all keys that begin with parts and have at least one more part. Without parts it is empty.
func Prefix(parts ...string) []byte {
	if len(parts) == 0 {
		return nil
	}
	return append(Key(parts...), separator...)
}

// Split decodes a key into the parts that Key was called with.
func Split(key []byte) []string {
	parts := strings.Split(string(key), separator)
	for i, p := range parts {
		if strings.Contains(p, "\x01") {
			parts[i] = unescape.Replace(p)
		}
	}
	return parts
}
