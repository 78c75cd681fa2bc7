package rpcserver_test

import (
	"testing"

	"github.com/quorate/quorate/platform/rpcserver"
)

// TestWhoHasSomeLeavesAsMuchForOthers divides a hundred bytes.
func TestWhoHasSomeLeavesAsMuchForOthers(t *testing.T) {
	t.Parallel()
	s := rpcserver.NewShares(100)
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
		back, has := s.Take(step.who, step.n)
		if has != step.has || (back != nil) != step.granted {
			t.Errorf("step %d: Take(%s, %d) = granted %t beside %d, want %t beside %d", i, step.who, step.n, back != nil, has, step.granted, step.has)
		}
		if back != nil {
			backs = append(backs, back)
		}
	}
	for _, back := range backs {
		back()
		back() // which counts once
	}
	if n := s.Known(); n != 0 {
		t.Errorf("%d callers are remembered when all is given back, want none", n)
	}
	if back, has := s.Take("ann", 50); back == nil || has != 0 {
		t.Errorf("Take(ann, 50) when all is given back = granted %t beside %d, want it granted beside 0", back != nil, has)
	}
	if back, has := s.Take("ann", 1); back != nil {
		t.Errorf("Take(ann, 1) beside %d is granted, want half of all again", has)
	}
}
