package router

import "sync"

// spare reuses the candidate lists of earlier decisions. A list of hundreds is large, and garbage collection is what makes single decisions slow.
type spare struct{ lists sync.Pool }

// take returns an empty list.
func (s *spare) take() []candidate {
	if list, ok := s.lists.Get().(*[]candidate); ok {
		return *list
	}
	return nil
}

// put returns a list for reuse. Nothing may refer to its elements any more.
func (s *spare) put(list []candidate) {
	clear(list) // or it would keep agents in memory that are gone
	list = list[:0]
	s.lists.Put(&list)
}
