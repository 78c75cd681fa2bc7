package rpc

import (
	"encoding/json"
	"fmt"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

// scope identifies a list in its page tokens, which are valid for one caller, method and query only.
func scope(p auth.Principal, method string, query ...any) string {
	return fmt.Sprintf("%q %q %s %q", p.Tenant, p.Name, method, query)
}

// open returns the page size and the cursor in the token, which is nil for the first page. A negative size is an InvalidArgument fault with the
// reason PAGE_SIZE_INVALID, a token of another list one with the reason PAGE_TOKEN_INVALID.
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

// decodeCursor decodes what token encoded. On the first page there is no cursor.
func decodeCursor(cursor []byte, place any) error {
	if cursor == nil {
		return nil
	}
	if err := json.Unmarshal(cursor, place); err != nil {
		return fmt.Errorf("decoding page cursor: %w", err)
	}
	return nil
}

// window returns one page of a short list that is read as a whole, and the token of the next page. The items are in order of key; size returns the
// approximate size of an item in an answer, in bytes.
func window[T any](s *Server, where string, req pageRequest, items []T, key func(*T) string, size func(*T) int) (page []T, next string, err error) {
	most, cursor, err := s.open(where, req.GetPageSize(), req.GetPageToken())
	if err != nil {
		return nil, "", err
	}
	after, cost := string(cursor), 0
	for i := range items {
		item := &items[i]
		if cursor != nil && key(item) <= after {
			continue
		}
		if len(page) == most || (len(page) > 0 && cost+size(item) > pageBytes) {
			return page, s.pages.Encode(where, []byte(key(&page[len(page)-1]))), nil
		}
		page, cost = append(page, *item), cost+size(item)
	}
	return page, "", nil
}

// pageRequest is a request for a page.
type pageRequest interface {
	GetPageSize() int32
	GetPageToken() string
}
