package boltdb

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTheCommitterWaitsForThoseWhoWroteLately(t *testing.T) {
	t.Parallel()
	const commit = 2 * time.Millisecond
	for name, c := range map[string]struct {
		group int // of the commit before
		come  int // writers a moment later
		least time.Duration
		below time.Duration
	}{
		"enough come":          {64, 47, 300 * time.Microsecond, 500 * time.Microsecond},
		"too few come":         {64, 46, commit, commit + 2*maxGlance},
		"nobody comes":         {64, 0, commit, commit + 2*maxGlance},
		"one writer by itself": {1, 0, 0, maxGlance},
		"one of two":           {2, 0, 0, maxGlance},
		"one of three":         {3, 0, commit, commit + 2*maxGlance},
		"none before":          {0, 1, 0, maxGlance},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				db := &DB{queue: make(chan *request, queueSize)}
				var p pace
				if c.group > 0 {
					p.observe(c.group, commit)
				}
				go func() {
					<-time.After(300 * time.Microsecond)
					for range c.come {
						db.queue <- &request{}
					}
				}()
				begin := time.Now()
				db.await(&p)
				if took := time.Since(begin); took < c.least || took >= c.below {
					t.Errorf("await() took %v, want %v", took, c.least)
				}
				<-time.After(time.Millisecond) // the writers are done
			})
		})
	}
}

func TestQuickCommitsAreFollowedByQuickLooks(t *testing.T) {
	t.Parallel()
	for commit, want := range map[time.Duration]time.Duration{0: minGlance, 320 * time.Microsecond: minGlance, 3200 * time.Microsecond: 50 * time.Microsecond, time.Second: maxGlance} {
		if got := (&pace{took: commit}).glance(); got != want {
			t.Errorf("glance() = %v after a commit of %v, want %v", got, commit, want)
		}
	}
}

func TestWritersThatAreGoneAreForgotten(t *testing.T) {
	t.Parallel()
	var p pace
	p.observe(64, time.Minute)
	if got := p.patience(); got != maxPatience {
		t.Errorf("patience() = %v after a commit of a minute, want %v", got, maxPatience)
	}
	for before := range groupSize {
		const soon = 17 // commits
		p.observe(before, time.Millisecond)
		for range soon {
			p.observe(1, time.Millisecond)
		}
		if got := p.enough(); got > 1 {
			t.Errorf("enough() = %d after %d commits of one writer, and %d at a time before, want that nobody else is waited for", got, soon, before)
		}
	}
	p.observe(64, time.Millisecond)
	p.observe(50, time.Millisecond)
	if got := p.enough(); got < 40 {
		t.Errorf("enough() = %d after groups of 64 and 50, want about as many", got)
	}
}
