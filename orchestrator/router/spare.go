package router

import "sync"

// spare keeps the lists of candidates of decisions that are made for the next ones. A list of hundreds is large, and collecting what is thrown away
// is what makes single decisions slow.
type spare struct{ lists sync.Pool }

// take returns an empty list.
func (s *spare) take() []candidate {
	if list, ok := s.lists.Get().(*[]candidate); ok {
		return *list
	}
	return nil
}

// put takes a list back, of which nobody holds anything any more.
func (s *spare) put(list []candidate) {
	clear(list) // or agents that are gone would be kept
	list = list[:0]
	s.lists.Put(&list)
}
