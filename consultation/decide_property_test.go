package consultation_test

import (
	stdcmp "cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quorate/quorate/consultation"
)

var outcomes = []string{"approved", "rejected", "deferred", "error"}

// history draws up to six attempts about current or older content, each open, failed or answered.
func history(t *rapid.T) consultation.Input {
	in := consultation.Input{Subject: subject(), Now: noon, Lowest: rapid.SampledFrom([]string{"", "C1", "C2", "C3"}).Draw(t, "lowest")}
	in.Subject.Requirements = []consultation.Requirement{requirement}
	in.Subject.Requirements[0].MinLevel = rapid.SampledFrom([]string{"", "C1", "C2", "C3"}).Draw(t, "asked for")
	for n := range rapid.IntRange(0, 6).Draw(t, "attempts") {
		c := asked(n+1, rapid.SampledFrom([]string{current, current, older}).Draw(t, "digest"))
		c.State = rapid.SampledFrom([]string{"open", "failed", "answered", "answered", "answered"}).Draw(t, "state")
		if c.State == consultation.StateAnswered {
			for span := range rapid.IntRange(1, 3).Draw(t, "spans") {
				e := answer(c, rapid.SampledFrom([]string{"approved", "approved", "rejected", "deferred", "error"}).Draw(t, "outcome"))
				e.SpanID = fmt.Sprintf("%016x", span+1)
				e.Level = rapid.SampledFrom([]string{"C1", "C2", "C2", "C3"}).Draw(t, "level")
				in.Evidence = append(in.Evidence, e)
			}
		}
		in.Consultations = append(in.Consultations, c)
	}
	return in
}

// doubled adds an attempt of the same number for each, and a piece of the same span and time: Quorate writes neither, but others may write to the store.
func doubled(t *rapid.T, in consultation.Input) consultation.Input {
	for _, c := range in.Consultations {
		c.ID += "b"
		in.Consultations = append(in.Consultations, c)
		in.Evidence = append(in.Evidence, answer(c, rapid.SampledFrom(outcomes).Draw(t, "outcome")))
	}
	for _, e := range in.Evidence {
		if rapid.Bool().Draw(t, "other words") {
			e.Feedback = "otherwise"
		} else {
			e.Backend = "jaeger"
		}
		in.Evidence = append(in.Evidence, e)
	}
	return in
}

// forge draws evidence that is wrong in at least one field.
func forge(t *rapid.T) consultation.Evidence {
	e := answer(asked(rapid.IntRange(1, 7).Draw(t, "attempt"), current), rapid.SampledFrom(outcomes).Draw(t, "outcome"))
	switch rapid.IntRange(0, 5).Draw(t, "lie") {
	case 0:
		e.Recorder = source
	case 1:
		e.TraceID = fmt.Sprintf("%032x", 99)
	case 2:
		e.SubjectDigest = "sha256:forged"
	case 3:
		e.TaskID = "task-2"
	case 4:
		e.Attempt = 9
	default:
		e.Timestamp = noon.Add(24 * 365 * 1e9 * 3600)
	}
	return e
}

func TestDecideDoesNotDependOnOrderRepetitionOrForgery(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := doubled(t, history(t))
		want := consultation.Decide(in)
		noisy := in
		noisy.Evidence = rapid.Permutation(slices.Concat(in.Evidence, in.Evidence)).Draw(t, "evidence")
		for range rapid.IntRange(0, 5).Draw(t, "forged") {
			at := rapid.IntRange(0, len(noisy.Evidence)).Draw(t, "place")
			noisy.Evidence = slices.Insert(noisy.Evidence, at, forge(t))
		}
		noisy.Consultations = rapid.Permutation(slices.Concat(in.Consultations, in.Consultations)).Draw(t, "consultations")
		if diff := cmp.Diff(want, consultation.Decide(noisy)); diff != "" {
			t.Fatalf("Decide() differs with the same facts in another order (-want +got):\n%s", diff)
		}
	})
}

func TestDecideIsNotMovedByAnswersToOlderContent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := history(t)
		want := consultation.Decide(in)
		with := in
		last := len(in.Consultations)
		if last == 0 || in.Consultations[last-1].State == consultation.StateOpen {
			return // a newer attempt ends an open one's say
		}
		extra := asked(last+1, older)
		extra.State = consultation.StateAnswered
		with.Consultations = append(slices.Clone(in.Consultations), extra)
		with.Evidence = append(slices.Clone(in.Evidence), answer(extra, rapid.SampledFrom(outcomes).Draw(t, "outcome")))
		if got := consultation.Decide(with); got.Allowed != want.Allowed {
			t.Fatalf("Decide() allows = %v with an answer to older content, want %v", got.Allowed, want.Allowed)
		}
	})
}

func TestDecidePassesOnlyOnTheNewestApprovalOfTheCurrentContent(t *testing.T) {
	t.Parallel()
	answered := asked(1, current)
	answered.State = consultation.StateAnswered
	passes := consultation.Input{
		Subject: subject(), Now: noon, Consultations: []consultation.Consultation{answered}, Evidence: []consultation.Evidence{answer(answered, "approved")},
	}
	if !consultation.Decide(passes).Allowed || !mayPass(passes) {
		t.Fatalf("Decide() of one approval = %+v, want allowed", consultation.Decide(passes))
	}
	rapid.Check(t, func(t *rapid.T) {
		in := history(t)
		in.Consultations = rapid.Permutation(in.Consultations).Draw(t, "consultations")
		if got, want := consultation.Decide(in).Allowed, mayPass(in); got != want {
			t.Fatalf("Decide() allows = %v, want %v for %+v", got, want, in)
		}
		in.Trouble = errors.New("down")
		if consultation.Decide(in).Allowed {
			t.Fatalf("Decide() allows although the store is down")
		}
	})
}

// mayPass says the rule again, in another way: nothing newer is open, and every answer of the newest attempt about the
// current content is an approval. Answers below the lowest level are none.
func mayPass(in consultation.Input) bool {
	answers := make(map[int][]string)
	for _, e := range in.Evidence {
		if e.Level < max(stdcmp.Or(in.Lowest, "C2"), in.Subject.Requirements[0].MinLevel) { // levels sort as their names do
			continue
		}
		answers[e.Attempt] = append(answers[e.Attempt], e.Outcome)
	}
	var newest, newestCurrent consultation.Consultation
	for _, c := range in.Consultations {
		if c.Attempt > newest.Attempt {
			newest = c
		}
		if c.Attempt > newestCurrent.Attempt && c.SubjectDigest == current {
			newestCurrent = c
		}
	}
	if newest.State == consultation.StateOpen && len(answers[newest.Attempt]) == 0 {
		return false
	}
	list := answers[newestCurrent.Attempt]
	return len(list) > 0 && !slices.ContainsFunc(list, func(outcome string) bool { return outcome != "approved" })
}
