package httpcache

import (
	"container/list"
	"net/http"
	"sync"
)

// maxVariants bounds the answers of one URL.
const maxVariants = 8

// store holds the most recently used answers.
type store struct {
	maxBytes int

	mu    sync.Mutex
	urls  map[string]*list.Element // guarded by mu
	order *list.List               // of *variants, the last used in front; guarded by mu
	bytes int                      // guarded by mu
}

type variants struct {
	key     string
	entries []*entry // the newest first
}

func newStore(maxBytes int) *store {
	return &store{maxBytes: maxBytes, urls: make(map[string]*list.Element), order: list.New()}
}

// find returns the newest answer that fits req, or nil.
func (s *store) find(key string, req *http.Request) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	element := s.urls[key]
	if element == nil {
		return nil
	}
	s.order.MoveToFront(element)
	v, _ := element.Value.(*variants)
	for _, e := range v.entries {
		if e.matches(req) {
			return e
		}
	}
	return nil
}

// put stores e, in place of an earlier answer to the same request.
func (s *store) put(key string, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	element := s.urls[key]
	if element == nil {
		element = s.order.PushFront(&variants{key: key})
		s.urls[key] = element
		s.bytes += len(key)
	}
	s.order.MoveToFront(element)
	v, _ := element.Value.(*variants)
	kept := []*entry{e}
	s.bytes += e.size()
	for _, old := range v.entries {
		if len(kept) < maxVariants && !sameVariant(old, e) {
			kept = append(kept, old)
		} else {
			s.bytes -= old.size()
		}
	}
	v.entries = kept
	for s.bytes > s.maxBytes && s.order.Len() > 0 {
		last, _ := s.order.Back().Value.(*variants)
		s.drop(last.key)
	}
}

func sameVariant(a, b *entry) bool {
	if len(a.vary) != len(b.vary) {
		return false
	}
	for name, values := range a.vary {
		other, ok := b.vary[name]
		if !ok || normal(values) != normal(other) {
			return false
		}
	}
	return true
}

func (s *store) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key)
}

// drop removes the answers of a URL. The caller holds mu.
func (s *store) drop(key string) {
	element := s.urls[key]
	if element == nil {
		return
	}
	v, _ := s.order.Remove(element).(*variants)
	delete(s.urls, key)
	s.bytes -= len(key)
	for _, e := range v.entries {
		s.bytes -= e.size()
	}
}
