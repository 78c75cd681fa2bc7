package router

import "sync"

// candidatePool reuses the candidate lists of earlier decisions. A list of hundreds is large, and garbage collection is what makes single decisions slow.
type candidatePool struct{ lists sync.Pool }

// get returns an empty list.
func (p *candidatePool) get() []candidate {
	if list, ok := p.lists.Get().(*[]candidate); ok {
		return *list
	}
	return nil
}

// put returns a list for reuse. Nothing may refer to its elements any more.
func (p *candidatePool) put(list []candidate) {
	clear(list) // or it would keep agents in memory that are gone
	list = list[:0]
	p.lists.Put(&list)
}
