package boltdb

import "time"

const (
	groupSize   = 256                    // updates, at most, that are committed together
	minGlance   = 20 * time.Microsecond  // between two looks at how many wait
	maxGlance   = 100 * time.Microsecond // the same
	maxPatience = 5 * time.Millisecond   // a commit takes longer only where disk or processor are too busy anyway
)

// pace says for how many writers the committer waits, and how long. A commit of dozens of updates takes little more than that of one. Writers that answer each
// commit with a next update fall into two groups, each of which prepares while the other one is committed, and a few come in between: committing those by
// themselves has all others wait for a whole commit more.
type pace struct {
	writers int           // that were committed together lately, at most
	took    time.Duration // the last commit
}

// enough returns for how many writers the committer waits.
func (p *pace) enough() int { return p.writers * 3 / 4 }

// patience returns how long it waits for them at most: as long as they would wait for a commit without them.
func (p *pace) patience() time.Duration { return min(p.took, maxPatience) }

// glance returns the time between two looks at how many wait. Where commits are quick, so are writers, and what is slept too long is lost.
func (p *pace) glance() time.Duration {
	const looks = 64
	return min(max(p.took/looks, minGlance), maxGlance)
}

// observe notes a group and how long its commit took. Where fewer came than were waited for, writers have gone.
func (p *pace) observe(group int, took time.Duration) {
	const forget = 16 // commits
	p.took = took
	if group < p.enough() {
		p.writers -= p.writers/4 + 1
	}
	p.writers = max(group, p.writers-p.writers/forget)
}
