package share_test

import (
	"testing"

	"github.com/quorate/quorate/platform/share"
)

// TestWhoHasSomeLeavesAsMuchForOthers divides a hundred bytes.
func TestWhoHasSomeLeavesAsMuchForOthers(t *testing.T) {
	t.Parallel()
	b := share.NewBytes[string](100)
	var backs []func()
	for i, step := range []struct {
		who     string
		n, has  int
		granted bool
	}{
		{"ann", 40, 0, true},
		{"ann", 11, 40, false}, // 51 and 49
		{"ann", 10, 40, true},  // half of all
		{"bob", 25, 0, true},
		{"bob", 1, 25, false}, // 26, and 24 are free
		{"cid", 90, 0, true},  // the first piece
	} {
		back, has := b.Take(step.who, step.n)
		if has != step.has || (back != nil) != step.granted {
			t.Errorf("step %d: Take(%s, %d) = granted %t beside %d, want %t beside %d", i, step.who, step.n, back != nil, has, step.granted, step.has)
		}
		if back != nil {
			backs = append(backs, back)
		}
	}
	if n := b.Taken(); n != 165 {
		t.Errorf("Taken() = %d, want 165", n)
	}
	for _, back := range backs {
		back()
		back() // which counts once
	}
	if taken, known := b.Taken(), b.Known(); taken != 0 || known != 0 {
		t.Errorf("%d bytes of %d parties are remembered when all is given back, want none", taken, known)
	}
	if back, has := b.Take("ann", 50); back == nil || has != 0 {
		t.Errorf("Take(ann, 50) when all is given back = granted %t beside %d, want it granted beside 0", back != nil, has)
	}
	if back, has := b.Take("ann", 1); back != nil {
		t.Errorf("Take(ann, 1) beside %d is granted, want half of all again", has)
	}
}

// TestAPieceMayGrow divides a hundred bytes into pieces that change their size.
func TestAPieceMayGrow(t *testing.T) {
	t.Parallel()
	b := share.NewBytes[string](100)
	for i, step := range []struct {
		who           string
		was, now, has int
		ok            bool
	}{
		{"ann", 0, 30, 0, true},
		{"ann", 30, 80, 30, true},  // its only piece
		{"ann", 0, 1, 80, false},   // another one
		{"bob", 0, 20, 0, true},    // all is taken
		{"bob", 20, 40, 20, true},  // its only piece, of more than all
		{"ann", 80, 20, 80, true},  // less than before
		{"ann", 0, 10, 20, true},   // 30 and 30 are free
		{"ann", 10, 11, 30, false}, // 31, and 29 are free
		{"ann", 10, 9, 30, true},
		{"bob", 40, 0, 40, true},
		{"ann", 9, 30, 29, true}, // half of all
		{"ann", 20, 21, 50, false},
		{"ann", 30, 0, 50, true},
		{"ann", 20, 0, 20, true},
	} {
		if has, ok := b.Resize(step.who, step.was, step.now); has != step.has || ok != step.ok {
			t.Errorf("step %d: Resize(%s, %d, %d) = %d, %t, want %d, %t", i, step.who, step.was, step.now, has, ok, step.has, step.ok)
		}
	}
	if taken, known := b.Taken(), b.Known(); taken != 0 || known != 0 {
		t.Errorf("%d bytes of %d parties are remembered when all pieces are gone, want none", taken, known)
	}
}

// TestAnOnlyPieceMayBeBoundedToo divides a hundred bytes.
func TestAnOnlyPieceMayBeBoundedToo(t *testing.T) {
	t.Parallel()
	b := share.NewBytes[string](100)
	for i, step := range []struct {
		who           string
		was, now, has int
		ok            bool
	}{
		{"ann", 0, 51, 0, false},
		{"ann", 0, 20, 0, true},
		{"ann", 20, 50, 20, true}, // half of all
		{"ann", 50, 51, 50, false},
		{"bob", 0, 26, 0, false},
		{"bob", 0, 25, 0, true}, // as many are left
	} {
		if has, ok := b.ResizeWithin(step.who, step.was, step.now); has != step.has || ok != step.ok {
			t.Errorf("step %d: ResizeWithin(%s, %d, %d) = %d, %t, want %d, %t", i, step.who, step.was, step.now, has, ok, step.has, step.ok)
		}
	}
}
