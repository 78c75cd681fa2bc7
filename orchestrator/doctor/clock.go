package doctor

import (
	"fmt"
	"time"
)

const (
	clockSlack = 5 * time.Second // dates of answers are precise to a second, and take time to arrive
	clockLimit = 5 * time.Minute // beyond it AWS refuses requests, and tokens and certificates are judged wrongly
)

// CheckClock compares this machine's clock with that of another.
func CheckClock(there, here time.Time, whose string) Finding {
	const do = "let this machine's clock be set by NTP"
	ahead, direction := here.Sub(there).Round(time.Second), "ahead of"
	if ahead < 0 {
		ahead, direction = -ahead, "behind"
	}
	switch {
	case ahead > clockLimit:
		return Failed(fmt.Errorf("this machine's clock is %s %s that of %s", ahead, direction, whose), do)
	case ahead > clockSlack:
		return Warned(do, "this machine's clock is %s %s that of %s", ahead, direction, whose)
	}
	return Found("this machine's clock agrees with that of %s", whose)
}
