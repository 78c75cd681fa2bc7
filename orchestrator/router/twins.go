package router

import (
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

// spread has each link of a chain done by the best of the agents that require the same and make the same. A plan finds the first of them by name.
func (r *Router) spread(tenant string, v *view, chain []orchestrator.Link) {
	for at := range chain {
		twins := v.twins(chain, at)
		if len(twins) < 2 {
			continue
		}
		list := r.pool.get()
		r.directory.PeekAll(tenant, slices.Values(twins), func(a *registry.Agent, status registry.Status) {
			list = append(list, candidate{agent: a, status: status, relevance: 1})
		})
		if fit := r.filter(tenant, list, false, registry.VersionRange{}, &rejections{}); len(fit) > 0 {
			r.score(fit)
			r.choose(fit, 1)
			chain[at].Agent = fit[0].agent.Name
		}
		r.pool.put(list)
	}
}

// twins returns the names of the agents that require the same and make the same as that of a link, itself included. Those of other links are left out, since
// each agent runs once.
func (v *view) twins(chain []orchestrator.Link, at int) (names []string) {
	place, ok := slices.BinarySearchFunc(v.producers, chain[at].Agent, func(p producer, name string) int { return strings.Compare(p.agent, name) })
	if !ok {
		return nil
	}
	own := &v.producers[place]
	for i := range v.producers {
		p := &v.producers[i]
		if p.inputSet != own.inputSet || p != own && slices.ContainsFunc(chain, func(l orchestrator.Link) bool { return l.Agent == p.agent }) {
			continue
		}
		if slices.EqualFunc(p.products, own.products, product.equal) {
			names = append(names, p.agent)
		}
	}
	return names
}

// equal reports whether two outputs can stand for each other. One with another schema may be within the first, but that takes too long to find out.
func (p product) equal(q product) bool {
	return p.Typed == q.Typed && p.schemaID == q.schemaID
}
