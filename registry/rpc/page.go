package rpc

import (
	"encoding/json"
	"fmt"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

// scope names a list for its page tokens: they are good for one caller, method and query only.
func scope(p auth.Principal, method string, query ...any) string {
	return fmt.Sprintf("%q %q %s %q", p.Tenant, p.Name, method, query)
}

// open returns how many items a page holds and the cursor in its token, nil for the first page. A negative size is an InvalidArgument fault with the reason
// PAGE_SIZE_INVALID, a token of another list one with PAGE_TOKEN_INVALID.
func (s *Server) open(where string, size int32, token string) (int, []byte, error) {
	if size < 0 {
		return 0, nil, fault.Invalid("page_size", "PAGE_SIZE_INVALID", "a page size is not negative")
	}
	cursor, err := s.pages.Decode(where, token)
	return page.Size(size), cursor, err
}

// token returns the page token for the place where a page ended.
func (s *Server) token(where string, place any) (string, error) {
	cursor, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("encoding page cursor: %w", err)
	}
	return s.pages.Encode(where, cursor), nil
}

// decodeCursor reads what token made; the first page has no cursor.
func decodeCursor(cursor []byte, place any) error {
	if cursor == nil {
		return nil
	}
	if err := json.Unmarshal(cursor, place); err != nil {
		return fmt.Errorf("decoding page cursor: %w", err)
	}
	return nil
}
