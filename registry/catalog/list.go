package catalog

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quorate/quorate/registry"
)

// Limits of a list.
const (
	usualItems = 20
	maxItems   = 100
	maxFilter  = 2048 // bytes
	maxListed  = 5000 // agents that are examined for one page
)

type listResponse struct {
	Items     []entry `json:"items"`
	PageToken string  `json:"pageToken,omitempty"`
}

// list returns the agents in order of name.
func (c *Catalog) list(r *http.Request) (any, error) {
	p, err := caller(r)
	if err != nil {
		return nil, err
	}
	values := r.URL.Query()
	for name, given := range values {
		if !slices.Contains([]string{"filter", "orderBy", "pageSize", "pageToken"}, name) || len(given) > 1 {
			return nil, malformed("the parameter %q is unknown or occurs twice", name)
		}
	}
	keep, err := parseFilter(values.Get("filter"))
	if err != nil {
		return nil, err
	}
	if order := values.Get("orderBy"); !slices.Contains([]string{"", "displayName", "displayName ASC", "identifier", "identifier ASC"}, order) {
		return nil, malformed("the order %q is not supported; displayName is", order)
	}
	items, err := pageSize(values)
	if err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("%s ARD list %q", bound(p), values.Get("filter"))
	after, err := c.pages.Decode(scope, values.Get("pageToken"))
	if err != nil {
		return nil, err
	}
	out := listResponse{Items: []entry{}}
	last, more, err := c.fill(r, p.Tenant, string(after), items, keep, &out)
	if more {
		out.PageToken = c.pages.Encode(scope, []byte(last))
	}
	return out, err
}

// fill appends up to items entries of agents behind after. It returns the name at which it ended, and whether there are more.
func (c *Catalog) fill(r *http.Request, tenant, after string, items int, keep keeper, out *listResponse) (last string, more bool, err error) {
	agents, err := c.agents(r.Context(), tenant, after)
	if err != nil {
		return "", false, err
	}
	where, looked := c.place(r), 0
	for a := range agents {
		e := where.agent(a)
		kept := keep(&e, a)
		if kept && len(out.Items) == items || looked == maxListed {
			return after, true, nil
		}
		if kept {
			out.Items = append(out.Items, e)
		}
		after = a.Name
		looked++
	}
	return "", false, nil
}

func pageSize(values url.Values) (int, error) {
	text := values.Get("pageSize")
	if text == "" {
		return usualItems, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, malformed("pageSize is a number")
	}
	return size(int(n), usualItems, maxItems), nil
}

// keeper decides which agents a list includes.
type keeper func(e *entry, a *registry.Agent) bool

// termPattern is one term of a filter: a field, an operator and a value in single quotes.
var termPattern = regexp.MustCompile(`^\s*([A-Za-z]+)\s*(=|>)\s*'([^']*)'\s*(?:(?i:AND)\s+(\S.*))?$`)

// parseFilter parses a filter by ARD, appendix A: terms joined with AND, several values separated by commas.
func parseFilter(text string) (keeper, error) {
	var terms []keeper
	if len(text) > maxFilter {
		return nil, malformed("the filter has more than %d bytes", maxFilter)
	}
	for rest := text; strings.TrimSpace(rest) != ""; {
		parts := termPattern.FindStringSubmatch(rest)
		if parts == nil {
			return nil, malformed("the filter cannot be read at %q; a term is such as type = '%s'", rest, typeCard)
		}
		term, err := parseTerm(parts[1], parts[2], parts[3])
		if err != nil {
			return nil, err
		}
		terms, rest = append(terms, term), parts[4]
	}
	return func(e *entry, a *registry.Agent) bool {
		return !slices.ContainsFunc(terms, func(term keeper) bool { return !term(e, a) })
	}, nil
}

func parseTerm(field, operator, value string) (keeper, error) {
	var since time.Time
	if field == "createdAfter" || field == "updatedAfter" {
		var err error
		if since, err = parseTime(value); err != nil {
			return nil, err
		}
	} else if operator != "=" {
		return nil, malformed("the field %q can be compared with = only", field)
	}
	list := strings.Split(value, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	switch field {
	case "displayName":
		return func(e *entry, _ *registry.Agent) bool {
			return strings.Contains(strings.ToLower(e.DisplayName), strings.ToLower(value))
		}, nil
	case "type":
		return func(e *entry, _ *registry.Agent) bool { return slices.Contains(list, e.Type) }, nil
	case "publisherId":
		return func(e *entry, _ *registry.Agent) bool { return slices.Contains(list, e.publisher()) }, nil
	case "createdAfter":
		return func(_ *entry, a *registry.Agent) bool { return a.CreateTime.After(since) }, nil
	case "updatedAfter":
		return func(_ *entry, a *registry.Agent) bool { return a.UpdateTime.After(since) }, nil
	}
	return nil, malformed("the field %q is not supported; displayName, type, publisherId, createdAfter and updatedAfter are", field)
}

func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, malformed("%q is not a time such as 2026-01-16 or 2026-01-16T12:00:00Z", text)
}
