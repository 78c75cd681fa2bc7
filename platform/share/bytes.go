package share

import "sync"

// Bytes divide a number of bytes of memory among parties that hold pieces of any size. A party may have more as long as that leaves as much for others; its only
// piece may have any size. They are safe for concurrent use.
type Bytes[K comparable] struct {
	most int

	mu    sync.Mutex
	taken int       // guarded by mu
	of    map[K]int // guarded by mu; bytes, by party that has some
}

// NewBytes returns a number of bytes that nobody has.
func NewBytes[K comparable](most int) *Bytes[K] { return &Bytes[K]{most: most, of: make(map[K]int)} }

// Resize counts a piece of who, of was bytes, as one of now bytes; 0 bytes are no piece. It returns false, and changes nothing, when those are too many; has is what
// who had already, in all its pieces.
func (b *Bytes[K]) Resize(who K, was, now int) (has int, ok bool) {
	return b.resize(who, was, now, true)
}

// ResizeWithin is Resize without an exception for the only piece of a party, whatever the number of parties.
func (b *Bytes[K]) ResizeWithin(who K, was, now int) (has int, ok bool) {
	return b.resize(who, was, now, false)
}

func (b *Bytes[K]) resize(who K, was, now int, exceptOnly bool) (has int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := now - was
	if has = b.of[who]; more > 0 && (has > was || !exceptOnly) && has+more > b.most-b.taken-more {
		return has, false
	}
	b.taken += more
	if b.of[who] += more; b.of[who] == 0 {
		delete(b.of, who)
	}
	return has, true
}

// Take takes a piece of n bytes until giveBack is called, once or more often. It returns a nil function, and how many bytes who has already, when those are too many.
func (b *Bytes[K]) Take(who K, n int) (giveBack func(), has int) {
	has, ok := b.Resize(who, 0, n)
	if !ok {
		return nil, has
	}
	return sync.OnceFunc(func() { b.Resize(who, n, 0) }), has
}

// Taken returns how many bytes all parties have together.
func (b *Bytes[K]) Taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}
