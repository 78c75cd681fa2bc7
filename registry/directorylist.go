package registry

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/registry/compat"
)

// Listing holds a tenant's agents at one moment. All of it is shared and read-only.
type Listing struct {
	Edition uint64   // differs whenever anything in the listing has changed; 0 for a tenant that was never loaded
	Agents  []*Agent // in order of name, without RawCard and without status
	types   *compat.Table
}

// Related reports whether an output of semantic type from may be given to an input of type to, by the built-in table and the tenant's mappings. A
// type is related to itself.
func (l *Listing) Related(from, to string) bool { return from == to || l.table().Related(from, to) }

// UsableAs returns the types to which an output of semantic type from is related.
func (l *Listing) UsableAs(from string) []string { return l.table().UsableAs(from) }

func (l *Listing) table() *compat.Table { return cmp.Or(l.types, builtIn) }

var builtIn = compat.NewTable(nil)

// Listing returns the tenant's agents.
func (d *Directory) Listing(tenant string) Listing {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := Listing{Edition: s.edition, Agents: make([]*Agent, 0, len(s.members)), types: s.ports.Types}
	for _, m := range s.members {
		list.Agents = append(list.Agents, m.agent)
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

// Refresh brings the directory up to date with every change of the tenant that was made through this Registry before the call, and with those by other
// replicas up to two seconds before. It reads nothing when it knows them.
func (d *Directory) Refresh(ctx context.Context, tenant string) error {
	s := d.tenant(tenant)
	d.asked(s)
	return d.refresh(ctx, s, maxBehind)
}

// refresh is Refresh for this process itself, which asks for all tenants all the time: changes by other replicas may be missing for as long as behind.
func (d *Directory) refresh(ctx context.Context, s *tenantDirectory, behind time.Duration) error {
	if d.fresh(s, behind) {
		return nil
	}
	return d.sync(ctx, s)
}

// maxBehind is for how long the directory may know nothing of changes by other replicas. Normally Run sees them after watchPoll. But a process that was
// frozen, or whose store was away, would give agents tasks under rules of hours ago.
const maxBehind = 2 * time.Second

// maxUnasked is maxBehind for the rounds over all agents, which decide nothing by what they miss: the next round sees it. To look into the log of each tenant
// before each probe and each sweep was most of what an idle replica read.
const maxUnasked = probeInterval

// fresh reports whether the directory reflects every change of the tenant that was made through this Registry before the call, and of those by other
// replicas, which arrive through Run, all that are older than behind.
func (d *Directory) fresh(s *tenantDirectory, behind time.Duration) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	since := time.Duration(d.registry.now().UnixNano() - s.seenTime.Load())
	return s.loaded && !s.behindOwnWrites() && since.Abs() < behind // clocks may go back, too
}
