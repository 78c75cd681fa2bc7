// Package doctor runs the checks of `quorate doctor`. A check looks at one thing that a server or a client needs, changes nothing, and says what it found and what
// to do about it. It must disturb nothing that runs.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limit is how long one check may take.
const Limit = 10 * time.Second

// Status is the result of a check in one word.
type Status string

// The results of a check.
const (
	OK   Status = "ok"
	Warn Status = "warn" // it works, but not well or not for long
	Fail Status = "fail" // it does not work
	Skip Status = "skip" // there is nothing to check, or no way to
)

// Finding is what a check found. It contains no secret.
type Finding struct {
	Status Status `json:"status"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"` // what to do; empty when there is nothing to do, or Found says it
}

// Check looks at one thing. Run ends with its context.
type Check struct {
	Name string
	Run  func(ctx context.Context) Finding
}

// Result is what the check of a name found.
type Result struct {
	Name string `json:"name"`
	Finding
}

// Run runs all checks at the same time and returns their results in the order of the checks.
func Run(ctx context.Context, checks []Check) []Result {
	results := make([]Result, len(checks))
	var group sync.WaitGroup
	for i, c := range checks {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, Limit)
			defer cancel()
			f := c.Run(ctx)
			if f.Status == Fail && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				f.Found = fmt.Sprintf("no answer within %s: %s", Limit, f.Found)
			}
			results[i] = Result{c.Name, f}
		})
	}
	group.Wait()
	return results
}

// Found returns that all is well.
func Found(format string, args ...any) Finding { return Finding{OK, fmt.Sprintf(format, args...), ""} }

// Warned returns what will not do for long or in all cases, and what to do.
func Warned(do, format string, args ...any) Finding {
	return Finding{Warn, fmt.Sprintf(format, args...), do}
}

// Failed returns that something does not work because of err. What to do may be empty when the error says it.
func Failed(err error, do string) Finding { return Finding{Fail, err.Error(), do} }

// Skipped returns why there was nothing to check.
func Skipped(format string, args ...any) Finding {
	return Finding{Skip, fmt.Sprintf(format, args...), ""}
}
