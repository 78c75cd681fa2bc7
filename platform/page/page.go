// Package page makes page tokens that a client can neither read another list with nor forge.
//
// A token binds the place where a page ended to a scope: the tenant, the method and the filters of the list.
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

// Size returns how many items a page holds: 50 for zero and at most 1000. A negative request is for the caller to refuse.
func Size(requested int32) int {
	if requested == 0 {
		return defaultSize
	}
	return min(int(requested), maxSize)
}

// Codec encodes and decodes page tokens with one key.
type Codec struct{ key []byte }

// New returns a codec; every replica that serves the same lists needs the same key, of 32 random bytes.
func New(key []byte) *Codec { return &Codec{key: append([]byte(nil), key...)} }

// Encode returns the token for the page of scope that starts after cursor; an empty cursor, the end, has an empty token.
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
	invalid := fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token is not one of this list; start from the first page")
	if len(token) > maxToken {
		return nil, invalid
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) <= macSize || !hmac.Equal(raw[:macSize], c.mac(scope, raw[macSize:])) {
		return nil, invalid
	}
	return raw[macSize:], nil
}

// mac covers the length of scope too, so that no byte can move from the scope to the cursor.
func (c *Codec) mac(scope string, cursor []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(scope))))
	h.Write([]byte(scope))
	h.Write(cursor)
	return h.Sum(nil)[:macSize]
}
