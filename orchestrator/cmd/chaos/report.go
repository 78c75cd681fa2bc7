package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// print tells the result.
func (l *load) print(out io.Writer, verdicts []verdict, disturbances []disturbance) (ok bool, err error) {
	var lost, twice, reviewed int
	begun, reviews := l.world.agents.notes()
	for i := range verdicts {
		v := &verdicts[i]
		for _, message := range v.messages {
			twice += max(begun[message]-1, 0)
		}
		reviewed += min(len(reviews[v.id]), 1)
		if v.problem = cmp.Or(v.problem, v.unseen(begun, reviews)); v.problem == "" {
			continue
		}
		lost++
		if _, err := fmt.Fprintf(out, "task %s (%s): %s\n  %s\n", v.id, v.text, v.problem, strings.Join(v.log, "\n  ")); err != nil {
			return false, err
		}
	}
	times := make(map[string]int)
	for _, d := range disturbances {
		times[d.what]++
	}
	for _, why := range l.refused[:min(len(l.refused), 5)] {
		if _, err := fmt.Fprintf(out, "refused        %s\n", why); err != nil {
			return false, err
		}
	}
	_, err = fmt.Fprintf(out, `replicas       %d, killed %d times, frozen %d times, told to stop %d times
tasks          %d accepted; %d calls repeated because a replica gave no answer
lost           %d, or not as they must be
duplicated     %d executions at an agent beyond the first of a message
reviewed       %d
recovery       p50 %s, p90 %s, p99 %s, max %s: from a disturbance to the end of the last task that was under way then by itself
`, len(l.world.replicas), times[killed], times[frozen], times[terminated], len(verdicts), l.retries, lost, twice, reviewed,
		percentile(verdicts, disturbances, 50), percentile(verdicts, disturbances, 90), percentile(verdicts, disturbances, 99), percentile(verdicts, disturbances, 100))
	if err != nil {
		return false, err
	}
	return lost == 0 && len(verdicts) > 0, slowest(out, verdicts)
}

// slowest shows the task that took longest without waiting for its caller, with what happened to it.
func slowest(out io.Writer, verdicts []verdict) error {
	took := func(v verdict) time.Duration { return v.end.Sub(v.at) }
	slices.SortFunc(verdicts, func(a, b verdict) int { return cmp.Compare(took(b), took(a)) })
	if i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.play == nil }); i >= 0 {
		v := verdicts[i]
		_, err := fmt.Fprintf(out, "slow           %s from acceptance: task %s\n  %s\n", took(v).Round(time.Millisecond), v.id, strings.Join(v.log, "\n  "))
		if err != nil {
			return err
		}
	}
	return nil
}

// percentile returns a percentile over the disturbances of how long it took to the end of the last task that was under way, and did not wait for its caller.
func percentile(verdicts []verdict, disturbances []disturbance, percent int) time.Duration {
	var times []time.Duration
	for _, d := range disturbances {
		var last time.Duration
		for _, v := range verdicts {
			if v.play == nil && v.at.Before(d.start) && v.end.After(d.start) {
				last = max(last, v.end.Sub(d.start))
			}
		}
		times = append(times, last)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*percent/100)].Round(time.Millisecond)
}
