// Package page makes page tokens that clients cannot forge, nor use for another list.
//
// A token binds the position where a page ended to a scope: the tenant, the method and the filters of the list.
package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/quorate/quorate/platform/fault"
)

const (
	defaultSize = 50
	maxSize     = 1000
	macSize     = 16
	maxToken    = 8 << 10
)

// Size returns how many items a page holds: the requested number, 50 if that is 0, and at most 1000. The caller must refuse negative numbers.
func Size(requested int32) int {
	if requested == 0 {
		return defaultSize
	}
	return min(int(requested), maxSize)
}

// Codec encodes and decodes page tokens with one key.
type Codec struct{ key []byte }

// New returns a codec with a key of 32 random bytes. All replicas that serve the same lists need the same key.
func New(key []byte) *Codec { return &Codec{key: append([]byte(nil), key...)} }

// Encode returns the token for the page of scope that starts after cursor. An empty cursor means the end of the list and gives an empty token.
func (c *Codec) Encode(scope string, cursor []byte) string {
	if len(cursor) == 0 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(c.mac(scope, cursor), cursor...))
}

// Decode returns the cursor in token, nil for an empty token, or an InvalidArgument fault with the reason
// PAGE_TOKEN_INVALID for a token that this codec did not make for scope.
func (c *Codec) Decode(scope, token string) ([]byte, error) {
	if token == "" {
		return nil, nil
	}
	invalid := fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token does not belong to this list; start from the first page")
	if len(token) > maxToken {
		return nil, invalid
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) <= macSize || !hmac.Equal(raw[:macSize], c.mac(scope, raw[macSize:])) {
		return nil, invalid
	}
	return raw[macSize:], nil
}

// mac also covers the length of scope, so that no byte can be moved from the scope to the cursor.
func (c *Codec) mac(scope string, cursor []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(scope))))
	h.Write([]byte(scope))
	h.Write(cursor)
	return h.Sum(nil)[:macSize]
}
