package catalog

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/quorate/quorate/registry"
)

// Limits of an exploration.
const (
	maxFacets    = 10
	usualBuckets = 20
	maxBuckets   = 1000
)

type exploreRequest struct {
	Query      query `json:"query"`
	ResultType struct {
		Facets []facetRequest `json:"facets"`
	} `json:"resultType"`
}

type facetRequest struct {
	Field    string `json:"field"`
	Limit    int    `json:"limit"`
	MinCount int    `json:"minCount"`
}

type exploreResponse struct {
	ResultType string           `json:"resultType"`
	Facets     map[string]facet `json:"facets"`
}

// facet counts the values of a field.
type facet struct {
	Buckets    []bucket `json:"buckets"`
	OtherCount int      `json:"otherCount"` // of values without a bucket
}

type bucket struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// explore counts the values of fields among the matching agents.
func (c *Catalog) explore(r *http.Request) (any, error) {
	p, err := caller(r)
	if err != nil {
		return nil, err
	}
	var req exploreRequest
	if err := readJSON(r, &req); err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	counts := make(map[string]map[string]int, len(req.ResultType.Facets))
	for _, f := range req.ResultType.Facets {
		counts[f.Field] = make(map[string]int)
	}
	where := c.place(r)
	count := func(a *registry.Agent) {
		e := where.agent(a)
		if !req.Query.match(&e) {
			return
		}
		for field, values := range counts {
			for _, value := range fields[field](&e) {
				values[value]++
			}
		}
	}
	if err := c.visit(r, p.Tenant, req.Query.Text, count); err != nil {
		return nil, err
	}
	out := exploreResponse{ResultType: "facets", Facets: make(map[string]facet)}
	for _, f := range req.ResultType.Facets {
		out.Facets[f.Field] = f.top(counts[f.Field])
	}
	return out, nil
}

func (q *exploreRequest) check() error {
	if n := len(q.ResultType.Facets); n == 0 || n > maxFacets {
		return malformed("resultType.facets has %d entries; 1 to %d are allowed", n, maxFacets)
	}
	for _, f := range q.ResultType.Facets {
		if err := checkField(f.Field); err != nil {
			return err
		}
		if f.Limit < 0 || f.MinCount < 0 {
			return malformed("limit and minCount are not negative")
		}
	}
	return q.Query.check()
}

// visit calls use for each agent that matches text, or for all agents when text is empty.
func (c *Catalog) visit(r *http.Request, tenant, text string, use func(a *registry.Agent)) error {
	if text == "" {
		agents, err := c.agents(r.Context(), tenant, "")
		if err != nil {
			return err
		}
		for a := range agents {
			use(a)
		}
		return nil
	}
	matches, err := c.registry.Find(r.Context(), tenant, registry.Search{Text: text})
	for _, m := range matches {
		if a, ok := c.registry.Directory().Agent(tenant, m.Name); ok {
			use(&a)
		}
	}
	return err
}

// top returns the most frequent values.
func (f *facetRequest) top(counts map[string]int) facet {
	out := facet{Buckets: []bucket{}}
	for value, n := range counts {
		out.Buckets = append(out.Buckets, bucket{value, n})
	}
	slices.SortFunc(out.Buckets, func(a, b bucket) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	keep := min(len(out.Buckets), size(f.Limit, usualBuckets, maxBuckets))
	for keep > 0 && out.Buckets[keep-1].Count < f.MinCount {
		keep--
	}
	for _, b := range out.Buckets[keep:] {
		out.OtherCount += b.Count
	}
	out.Buckets = out.Buckets[:keep]
	return out
}
