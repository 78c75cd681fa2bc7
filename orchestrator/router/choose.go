package router

import "slices"

// nearEqualShare is the least part of the best score that a candidate nearly as good has.
const nearEqualShare = 0.8

// choose moves n of the sorted candidates to the front, and behind them the one that comes next if one of these cannot be reached: it is chosen in the same way,
// or whatever an agent had that is gone would go to the same other one.
func (r *Router) choose(list []*candidate, n int) {
	for i := range n {
		a, b, near := r.chooseOne(list[i:], n-i)
		if near > 0 {
			list[i+a].isTaken("taken as the less loaded of itself and %s, two of %d near-equals", list[i+b].agent.Name, near)
		}
		toFront(list[i:], a)
	}
	if n < len(list) {
		next, _, _ := r.chooseOne(list[n:], 1)
		toFront(list[n:], next)
	}
}

// chooseOne returns the index of one of the sorted candidates, of which so many are wanted. To take the best each time would send all callers of all replicas
// to one agent until the signals catch up. Taking two of nearly equal candidates at random, and the less loaded one of these, spreads the tasks (power of two
// choices); then the other is returned, too, and of how many they are.
func (r *Router) chooseOne(list []*candidate, wanted int) (chosen, other, near int) {
	for near = 1; near < len(list) && list[near].drawback == list[0].drawback && list[near].score >= nearEqualShare*list[0].score; {
		near++
	}
	if near <= wanted {
		return 0, 0, 0 // its equals are taken, too
	}
	a := r.intn(near)
	b := r.intn(near - 1)
	if b >= a {
		b++
	}
	if list[b].load < list[a].load || (list[b].load == list[a].load && list[b].score > list[a].score) {
		a, b = b, a
	}
	return a, b, near
}

// stay moves the first familiar agent among the candidates to the front and reports whether there is one. It is one that fits about as well as any, whatever
// its load: another one would know nothing of what was said before. One that cannot be reached, or fails most tasks, keeps none.
func stay(list []*candidate, familiar []string) bool {
	var most float64
	for _, c := range list {
		most = max(most, c.relevance)
	}
	for _, name := range familiar {
		i := slices.IndexFunc(list, func(c *candidate) bool {
			return c.agent.Name == name && c.relevance >= nearEqualShare*most && c.drawback <= drawbackFull
		})
		if i >= 0 {
			list[i].isTaken("taken since it did earlier tasks of the context")
			toFront(list, i)
			return true
		}
	}
	return false
}

// toFront moves a candidate to the front; the order of the others stays.
func toFront(list []*candidate, i int) {
	c := list[i]
	copy(list[1:], list[:i])
	list[0] = c
}
