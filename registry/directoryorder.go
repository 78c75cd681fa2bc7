package registry

import "slices"

// orderedIndex holds the places of all agents of a tenant in one ascending order.
type orderedIndex struct {
	order  Order
	places []*orderPlace
}

// in returns the agents in the order of one field. The order is built when it is first asked for, and kept from then on.
func (s *tenantDirectory) in(o Order) *orderedIndex {
	s.mu.RLock()
	list := s.orders[o.field]
	s.mu.RUnlock()
	if list != nil {
		return list
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.orders == nil {
		s.orders = make(map[string]*orderedIndex)
	}
	if s.orders[o.field] == nil {
		list = &orderedIndex{order: Order{field: o.field}, places: make([]*orderPlace, 0, len(s.members))}
		for _, m := range s.members {
			p := o.placeOf(m.agent)
			list.places = append(list.places, &p)
		}
		slices.SortFunc(list.places, o.compare)
		s.orders[o.field] = list
	}
	return s.orders[o.field]
}

func (l *orderedIndex) put(a *Agent) {
	p := l.order.placeOf(a)
	if at, found := slices.BinarySearchFunc(l.places, &p, l.order.compare); !found {
		l.places = slices.Insert(l.places, at, &p)
	}
}

func (l *orderedIndex) remove(a *Agent) {
	p := l.order.placeOf(a)
	if at, found := slices.BinarySearchFunc(l.places, &p, l.order.compare); found {
		l.places = slices.Delete(l.places, at, at+1)
	}
}

// behind returns the index at which a walk starts behind the place from, or at the beginning for nil, and the step to the next index.
func (l *orderedIndex) behind(from *orderPlace, descending bool) (at, step int) {
	at, found := 0, false
	if from != nil {
		at, found = slices.BinarySearchFunc(l.places, from, l.order.compare)
	} else if descending {
		at = len(l.places)
	}
	switch {
	case descending:
		return at - 1, -1
	case found:
		return at + 1, 1
	default:
		return at, 1
	}
}

// inOrder returns the places of the first agents that pass the filter, at most limit.
func (d *Directory) inOrder(tenant string, o Order, f Filter, from *orderPlace, limit int) []*orderPlace {
	s := d.tenant(tenant)
	now := d.registry.now()
	for {
		list := s.in(o)
		s.mu.RLock()
		if s.orders[o.field] != list { // the tenant was loaded anew meanwhile
			s.mu.RUnlock()
			continue
		}
		defer s.mu.RUnlock()
		first := make([]*orderPlace, 0, limit)
		for at, step := list.behind(from, o.descending); at >= 0 && at < len(list.places) && len(first) < limit; at += step {
			m := s.members[list.places[at].name]
			a := m.agent
			if f.live() {
				alive := *a
				alive.Status = m.pulse.At(now)
				a = &alive
			}
			if f.Match(a) {
				first = append(first, list.places[at])
			}
		}
		return first
	}
}
