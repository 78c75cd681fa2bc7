package registry

import (
	"context"
	"slices"
	"strings"
)

// Listing holds a tenant's agents at one moment. All of it is shared and read-only.
type Listing struct {
	Edition uint64   // differs whenever anything in the listing has changed; 0 for a tenant that was never loaded
	Agents  []*Agent // in order of name, without RawCard and without status
	types   *typeTable
}

// Related reports whether an output of semantic type from may be given to an input of type to, by the built-in table and the tenant's mappings. A
// type is related to itself.
func (l *Listing) Related(from, to string) bool {
	types := l.types
	if types == nil {
		types = builtIn
	}
	return from == to || types.related(from, to)
}

var builtIn = newTypeTable(nil)

// Listing returns the tenant's agents.
func (d *Directory) Listing(tenant string) Listing {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := Listing{Edition: s.edition, Agents: make([]*Agent, 0, len(s.agents))}
	if s.ports != nil {
		list.types = s.ports.types
	}
	for _, a := range s.agents {
		list.Agents = append(list.Agents, a)
	}
	slices.SortFunc(list.Agents, func(a, b *Agent) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Edition returns the edition of the tenant's Listing.
func (d *Directory) Edition(tenant string) uint64 {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.edition
}

// Revision returns the revision of the tenant's log up to which the directory is current.
func (d *Directory) Revision(tenant string) int64 {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revision
}

// Refresh brings the directory up to date with every change of the tenant that was made through this Registry before the call. It reads nothing when
// the directory is Fresh.
func (d *Directory) Refresh(ctx context.Context, tenant string) error {
	if d.Fresh(tenant) {
		return nil
	}
	return d.Sync(ctx, tenant)
}

// Fresh reports whether the directory reflects every change of the tenant that was made through this Registry before the call. Changes by other
// replicas arrive through Run.
func (d *Directory) Fresh(tenant string) bool {
	s := d.tenant(tenant)
	rung := s.written.count.Load()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.loaded && s.seenWrites.Load() >= rung
}
