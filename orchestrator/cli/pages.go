package cli

import (
	"context"
	"maps"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
)

const (
	pageSize = 500
	maxItems = 100_000
)

// addLimit adds the flag that limits a list.
func addLimit(cmd *cobra.Command, limit *int, usual int) {
	cmd.Flags().IntVar(limit, "limit", usual, "maximum number to list, 1 to 100000")
}

// pages calls fetch with the query for one page after the other until there is no next page or limit items were read. A page may be empty and still
// have a next one when few items match a filter. fetch returns the number of items on the page and the token of the next one.
func pages(limit int, fetch func(query url.Values) (items int, next string, err error)) error {
	if limit < 1 || limit > maxItems {
		return usage("--limit must be from 1 to %d", maxItems)
	}
	query := url.Values{}
	for have := 0; have < limit; {
		query.Set("page_size", strconv.Itoa(min(pageSize, limit-have)))
		items, next, err := fetch(query)
		if err != nil || next == "" {
			return err
		}
		have += items
		query.Set("page_token", next)
	}
	return nil
}

// list returns up to limit items of the list at path, and the token of the next page if there are more. query selects the items; items returns those of
// a page.
func list[Item, Page any, Response interface {
	*Page
	proto.Message
	GetNextPageToken() string
}](ctx context.Context, s *session, path string, query url.Values, limit int, items func(Response) []Item) (all []Item, next string, err error) {
	err = pages(limit, func(place url.Values) (int, string, error) {
		maps.Copy(place, query)
		page := Response(new(Page))
		if err := s.get(ctx, path, place, page); err != nil {
			return 0, "", err
		}
		all, next = append(all, items(page)...), page.GetNextPageToken()
		return len(items(page)), next, nil
	})
	return all, next, err
}

// filtered returns the query for the items that match a filter; an empty one matches all.
func filtered(filter string) url.Values {
	if filter == "" {
		return nil
	}
	return url.Values{"filter": {filter}}
}
