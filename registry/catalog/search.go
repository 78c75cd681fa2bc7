package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/registry"
)

// Limits of a search.
const (
	usualResults = 10
	maxResults   = 100
	maxReads     = 5000 // matches that are examined for one page
)

// query is what search and explore look for: entries that match both the text and the filter.
type query struct {
	Text   string              `json:"text"`
	Filter map[string]oneOrAll `json:"filter"`
}

// oneOrAll is a list of strings; in JSON it may also be a single string.
type oneOrAll []string

// UnmarshalJSON accepts both forms.
func (o *oneOrAll) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrAll{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

type searchRequest struct {
	Query      query  `json:"query"`
	Federation string `json:"federation"`
	PageSize   int    `json:"pageSize"`
	PageToken  string `json:"pageToken"`
}

type searchResult struct {
	entry
	Score  int    `json:"score"` // 0 to 100, relative to the best result of the search
	Source string `json:"source"`
}

type searchResponse struct {
	Results   []searchResult `json:"results"`
	Referrals []any          `json:"referrals,omitzero"`
	PageToken string         `json:"pageToken,omitempty"`
}

// cursor is where a page of results ended.
type cursor struct {
	Best  float64        `json:"best"` // the score of the first result of the whole search
	After registry.Place `json:"after"`
}

// search returns the agents that match a text, the best first.
func (c *Catalog) search(r *http.Request) (any, error) {
	p, err := caller(r)
	if err != nil {
		return nil, err
	}
	var req searchRequest
	if err := readJSON(r, &req); err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("%s ARD search %q %q", bound(p), req.Query.Text, req.Query.Filter) // fmt prints maps in order of their keys
	from, err := c.open(scope, req.PageToken)
	if err != nil {
		return nil, err
	}
	found := results{catalog: c, request: r, tenant: p.Tenant, query: req.Query, size: size(req.PageSize, usualResults, maxResults)}
	out := searchResponse{Results: []searchResult{}}
	if req.Federation == "referrals" {
		out.Referrals = []any{}
	}
	more, err := found.read(&from, &out)
	if err != nil || !more {
		return out, err
	}
	encoded, err := json.Marshal(from)
	if err != nil {
		return nil, fmt.Errorf("encoding page cursor: %w", err)
	}
	out.PageToken = c.pages.Encode(scope, encoded)
	return out, nil
}

func (q *searchRequest) check() error {
	switch {
	case q.Query.Text == "":
		return malformed("query.text is needed: say in words what to look for")
	case !slices.Contains([]string{"", "auto", "referrals", "none"}, q.Federation):
		return malformed("federation is auto, referrals or none")
	case q.PageSize < 0:
		return malformed("pageSize is not negative")
	}
	return q.Query.check()
}

func (c *Catalog) open(scope, token string) (from cursor, err error) {
	raw, err := c.pages.Decode(scope, token)
	if err != nil || raw == nil {
		return cursor{}, err
	}
	if err := json.Unmarshal(raw, &from); err != nil {
		return cursor{}, fmt.Errorf("decoding page cursor: %w", err)
	}
	return from, nil
}

// results reads one page of a search.
type results struct {
	catalog *Catalog
	request *http.Request
	tenant  string
	query   query
	size    int
}

// read appends the results behind from, and advances from. more is true if there may be another page.
func (s *results) read(from *cursor, out *searchResponse) (more bool, err error) {
	where := s.catalog.place(s.request)
	matches, err := s.catalog.registry.Find(s.request.Context(), s.tenant, registry.Search{Text: s.query.Text, After: from.After})
	if err != nil {
		return false, err
	}
	for looked, m := range matches {
		if looked == maxReads {
			return true, nil
		}
		a, ok := s.catalog.registry.Directory().Agent(s.tenant, m.Name)
		if e := where.agent(&a); ok && s.query.match(&e) {
			if len(out.Results) == s.size {
				return true, nil
			}
			from.Best = max(from.Best, m.Score)
			score := int(math.Round(100 * m.Score / from.Best))
			out.Results = append(out.Results, searchResult{e, max(1, min(score, 100)), where.base + ARDPath})
		}
		from.After = m.Place
	}
	return false, nil
}

func size(requested, usual, most int) int {
	if requested == 0 {
		return usual
	}
	return min(requested, most)
}

// bound identifies the caller in page tokens, which only the same caller can use.
func bound(p auth.Principal) string { return fmt.Sprintf("%q %q", p.Tenant, p.Name) }
