package boltdb

import (
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// MaxItemBytes is the largest item that both stores accept; DynamoDB's own limit is 400 KB with names and indexes.
const MaxItemBytes = 350 << 10

// CheckItem returns an InvalidArgument fault with the reason ITEM_TOO_LARGE when size, in bytes, is over MaxItemBytes; what
// names the item, and is cut: names that come from outside may be what is too large.
func CheckItem(what string, size int) error {
	const most = 200 // bytes
	if size <= MaxItemBytes {
		return nil
	}
	if len(what) > most {
		what = strings.ToValidUTF8(what[:most], "") + "…"
	}
	return fault.New(fault.InvalidArgument, "ITEM_TOO_LARGE", "%s has %d bytes; the limit is %d", what, size, MaxItemBytes)
}

const separator = "\x00"

// NUL and the escape byte itself stay in order below every other byte.
var (
	escape   = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")
	unescape = strings.NewReplacer("\x01\x01", "\x00", "\x01\x02", "\x01")
)

// Key returns parts as one key. Keys sort as their parts do, part by part, whatever bytes the parts hold.
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
		if strings.IndexByte(p, 0) >= 0 || strings.IndexByte(p, 1) >= 0 { // rare, and the only case that costs more than a copy
			p = escape.Replace(p)
		}
		key = append(key, p...)
	}
	return key
}

// Prefix returns what all keys that begin with parts and have at least one part more begin with; without parts it is empty.
func Prefix(parts ...string) []byte {
	if len(parts) == 0 {
		return nil
	}
	return append(Key(parts...), separator...)
}

// Split returns the parts that Key made key from.
func Split(key []byte) []string {
	parts := strings.Split(string(key), separator)
	for i, p := range parts {
		if strings.Contains(p, "\x01") {
			parts[i] = unescape.Replace(p)
		}
	}
	return parts
}
