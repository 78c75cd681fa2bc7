package consultation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/consultation"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// asked returns attempt n about the content of digest, open for another ten minutes at noon.
func asked(n int, digest string) consultation.Consultation {
	return consultation.Consultation{
		ID: fmt.Sprintf("c%d", n), Tenant: tenant, TaskID: task, RequirementID: "r", Phase: requirement.Phase, SourceAgent: source,
		TargetAgent: target, Mandatory: true, Attempt: n, SubjectDigest: digest, TraceID: fmt.Sprintf("%032x", n), SpanID: "00000000000000ff",
		State: consultation.StateOpen, IssueTime: noon.Add(-5 * time.Minute), ExpireTime: noon.Add(10 * time.Minute),
	}
}

// answer returns an honest piece of evidence for c.
func answer(c consultation.Consultation, outcome string) consultation.Evidence {
	return consultation.Evidence{
		TraceID: c.TraceID, SpanID: spanID, SourceAgent: source, TargetAgent: target, TaskID: task, RequirementID: c.RequirementID,
		Outcome: outcome, Timestamp: noon.Add(-time.Minute), ConsultationID: c.ID, Attempt: c.Attempt,
		SubjectDigest: c.SubjectDigest, Recorder: target, Level: consultation.LevelRecorded,
	}
}

type (
	consultations = []consultation.Consultation
	evidence      = []consultation.Evidence
)

// TestNothingIsAdvisedAboutATaskThatHasEnded has a rejection that came after the approval with which the task passed.
func TestNothingIsAdvisedAboutATaskThatHasEnded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	f.record(t, claim(c, "approved", spanID))
	f.record(t, claim(c, "rejected", "00000000000000a2"))
	ended := subject()
	ended.Ended = true
	d, err := f.Check(t.Context(), ended)
	if err != nil || len(d.Requirements) != 1 {
		t.Fatalf("Check() = %+v, %v, want one requirement", d, err)
	}
	v := d.Requirements[0]
	if v.Verdict != "rejected" || strings.Contains(v.Reason, "cancel") || strings.Contains(v.Reason, "quorate ") || !strings.Contains(v.Reason, "The task has ended") {
		t.Errorf("verdict %s, %q, want that it is rejected now and nothing to do", v.Verdict, v.Reason)
	}
}

func TestDecideOnOneRequirement(t *testing.T) {
	t.Parallel()
	first, second, old := asked(1, current), asked(2, current), asked(2, older)
	rejected := answer(first, "rejected")
	rejected.Feedback = "line 3 holds a secret"
	failed, expired, forged := asked(1, current), asked(1, current), asked(1, current)
	failed.State, failed.Feedback = consultation.StateFailed, "no route"
	expired.ExpireTime = noon.Add(-time.Second)
	forged.State, forged.Feedback = consultation.StateFailed, "no route"
	forged.Refused = []consultation.Refusal{{Recorder: source, Reason: consultation.ReasonNotTheTarget}, {Reason: consultation.ReasonNotAnAgent}}
	mistaken, confused, early := failed, failed, failed
	mistaken.Refused = []consultation.Refusal{{Recorder: target, Reason: consultation.ReasonMalformed, Detail: "the attempt is text"}}
	confused.Refused = []consultation.Refusal{{Recorder: target, Reason: consultation.ReasonOtherService}}
	early.Feedback = "the consulted agent answered without evidence in the traces that counts"
	late := early
	late.ExpireTime = noon.Add(-time.Second)
	corrected := asked(1, current)
	corrected.CarrierTaskID, corrected.Refused = "carrier-1", mistaken.Refused
	besieged, astray := corrected, corrected
	besieged.Refused, astray.Refused = forged.Refused, confused.Refused
	lost := asked(1, current)
	lost.State, lost.Outcome, lost.Feedback = consultation.StateAnswered, "approved", "fine"
	sent, direct := asked(1, current), asked(1, current)
	asking := sent
	asking.State, asking.Feedback, asking.Refused = consultation.StateAsking, "which policy?", mistaken.Refused
	carried, weak := answer(first, "approved"), answer(old, "approved")
	carried.Recorder, carried.Level, weak.Recorder, weak.Level = "", consultation.LevelCarried, "", consultation.LevelCarried
	asking.CarrierTaskID, sent.CarrierTaskID, direct.Direct = "carrier-1", "carrier-1", true
	const ask = "quorate consultations request task-1 --requirement r"
	tests := map[string]struct {
		consultations consultations
		evidence      evidence
		verdict       string
		reason        []string
	}{
		"nobody asked":                                 {nil, nil, "missing", []string{`"r" (pre-completion, mandatory) is not met`, "an approval by reviewer of content " + current, "found no consultation", ask}},
		"the target said yes":                          {consultations{first}, evidence{answer(first, "approved")}, "approved", []string{"is met", "attempt 1: approved by reviewer"}},
		"the target said no":                           {consultations{first}, evidence{rejected}, "rejected", []string{"attempt 1: rejected by reviewer", "line 3 holds a secret", "What coder has delivered stays as it is", ask}},
		"the target said later":                        {consultations{first}, evidence{answer(first, "deferred")}, "deferred", []string{"deferred by reviewer", ask}},
		"the target was sent it and said later":        {consultations{sent}, evidence{answer(sent, "deferred")}, "deferred", []string{"deferred by reviewer", "To ask again: " + ask}},
		"the target could not":                         {consultations{first}, evidence{answer(first, "error")}, "error", []string{"error by reviewer", ask}},
		"the question is open":                         {consultations{sent}, nil, "pending", []string{"no answer yet, open until 2026-11-20T12:10:00Z", "Wait for reviewer"}},
		"the agents hold the consultation themselves":  {consultations{direct}, nil, "pending", []string{"no answer yet", "Wait for reviewer"}},
		"the question was perhaps never sent":          {consultations{first}, nil, "pending", []string{"no answer yet", "Nothing shows that reviewer was sent the question", ask}},
		"nobody answered in time":                      {consultations{expired}, nil, "missing", []string{"no answer in time", ask}},
		"the question was not carried":                 {consultations{failed}, nil, "missing", []string{`failed ("no route")`, "To have reviewer asked: " + ask}},
		"the answer is on record without its span":     {consultations{lost}, nil, "missing", []string{"found attempt 1: no evidence. ", ask}},
		"only others answered":                         {consultations{forged}, nil, "unauthenticated", []string{"a span from coder (EVIDENCE_NOT_THE_TARGET)", "a caller that is no agent (EVIDENCE_NOT_AN_AGENT)", ask}},
		"the target's span is malformed":               {consultations{mistaken}, nil, "missing", []string{"a span from reviewer (EVIDENCE_MALFORMED: the attempt is text)", "reviewer has to correct what it sends", ask}},
		"the target has another service name":          {consultations{confused}, nil, "unauthenticated", []string{"reviewer has to correct what it sends", ask}},
		"the target has corrected its span":            {consultations{mistaken}, evidence{rejected}, "rejected", []string{`("line 3 holds a secret"). What coder has delivered stays as it is`, ask}},
		"the target asks after a malformed span":       {consultations{asking}, nil, "deferred", []string{`asks "which policy?"`, "quorate tasks reply carrier-1"}},
		"somebody corrected the target's span":         {consultations{mistaken}, evidence{carried}, "unauthenticated", []string{"Evidence of level C2 is needed: have reviewer send its verdict to Quorate with its own credential, or sign it"}},
		"the target may still correct its span":        {consultations{corrected}, nil, "pending", []string{"no answer yet", "explains each reason. reviewer was asked, and can answer until 2026-11-20T12:10:00Z."}},
		"it may also correct its service name":         {consultations{astray}, nil, "unauthenticated", []string{"explains each reason. reviewer was asked, and can answer until 2026-11-20T12:10:00Z."}},
		"others answered, and the target still may":    {consultations{besieged}, nil, "unauthenticated", []string{"Find out who sent the refused spans. reviewer was asked, and can answer until 2026-11-20T12:10:00Z."}},
		"the target answered before it sent a span":    {consultations{early}, nil, "missing", []string{"reviewer has to send its verdict before it answers, and docs/reviewing.md lists what keeps it from coming; until 2026-11-20T12:10:00Z it still counts", ask}},
		"the target answered without one, long ago":    {consultations{late}, nil, "missing", []string{"To have reviewer asked: " + ask}},
		"the answer is to other content":               {consultations{old}, evidence{answer(old, "approved")}, "stale", []string{"attempt 2: approved by reviewer, about other content than now", ask}},
		"both answers are to other content":            {consultations{asked(1, older), old}, evidence{answer(asked(1, older), "rejected"), answer(old, "approved")}, "stale", []string{"attempt 2: approved"}},
		"nobody answered about other content":          {consultations{func() consultation.Consultation { c := old; c.State = consultation.StateFailed; return c }()}, nil, "missing", []string{"about other content", ask}},
		"a newer attempt approved":                     {consultations{first, second}, evidence{rejected, answer(second, "approved")}, "approved", nil},
		"a newer attempt rejected":                     {consultations{first, second}, evidence{answer(first, "approved"), answer(second, "rejected")}, "rejected", nil},
		"a newer attempt is open":                      {consultations{first, second}, evidence{answer(first, "approved")}, "pending", nil},
		"a newer attempt about other content is open":  {consultations{first, old}, evidence{answer(first, "approved")}, "pending", nil},
		"nothing that counts has answered a newer one": {consultations{first, old}, evidence{answer(first, "approved"), weak}, "unauthenticated", nil},
		"the content went back to what was approved":   {consultations{first, old}, evidence{answer(first, "approved"), answer(old, "rejected")}, "approved", nil},
		"a newer attempt about the content failed":     {consultations{second, func() consultation.Consultation { c := asked(3, current); c.State = consultation.StateFailed; return c }()}, evidence{answer(second, "approved")}, "missing", nil},
		"yes and no in one attempt":                    {consultations{first}, evidence{answer(first, "approved"), rejected}, "rejected", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := consultation.Decide(consultation.Input{Subject: subject(), Consultations: test.consultations, Evidence: test.evidence, Now: noon})
			v := d.Requirements[0]
			if v.Verdict != test.verdict || v.Code != "CONSULTATION_"+strings.ToUpper(test.verdict) || !v.Applies {
				t.Errorf("Decide() = %s %s, want %s", v.Verdict, v.Code, test.verdict)
			}
			if d.Allowed != (test.verdict == "approved") {
				t.Errorf("Decide() allows = %v with the verdict %s", d.Allowed, v.Verdict)
			}
			if want := "an approval by reviewer of content " + current + ", recorded by reviewer itself"; v.LookedFor != want {
				t.Errorf("Decide() has looked for %q, want %q", v.LookedFor, want)
			}
			for _, part := range test.reason {
				if !strings.Contains(v.Reason, part) {
					t.Errorf("Decide() says %q, want it to contain %q", v.Reason, part)
				}
			}
		})
	}
}

func TestDecideIgnoresEvidenceThatDoesNotFit(t *testing.T) {
	t.Parallel()
	c := asked(1, current)
	for name, spoil := range map[string]func(*consultation.Evidence){
		"recorded by the source":   func(e *consultation.Evidence) { e.Recorder = source },
		"recorded by nobody":       func(e *consultation.Evidence) { e.Recorder = "" },
		"carried by the source":    func(e *consultation.Evidence) { e.Recorder, e.Level = source, consultation.LevelCarried },
		"of a level that is none":  func(e *consultation.Evidence) { e.Level = "C9" },
		"of another consultation":  func(e *consultation.Evidence) { e.ConsultationID = "c9" },
		"of another task":          func(e *consultation.Evidence) { e.TaskID = "task-2" },
		"of another requirement":   func(e *consultation.Evidence) { e.RequirementID = "r2" },
		"of another source":        func(e *consultation.Evidence) { e.SourceAgent = "planner" },
		"of another target":        func(e *consultation.Evidence) { e.TargetAgent = "tester" },
		"of another attempt":       func(e *consultation.Evidence) { e.Attempt = 2 },
		"of other content":         func(e *consultation.Evidence) { e.SubjectDigest = older },
		"in another trace":         func(e *consultation.Evidence) { e.TraceID = strings.Repeat("f", 32) },
		"after the time":           func(e *consultation.Evidence) { e.Timestamp = c.ExpireTime.Add(1) },
		"with an unknown outcome":  func(e *consultation.Evidence) { e.Outcome = "fine" },
		"with an upper case yes":   func(e *consultation.Evidence) { e.Outcome = "APPROVED" },
		"with an outcome of blank": func(e *consultation.Evidence) { e.Outcome = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := answer(c, "approved")
			spoil(&e)
			d := consultation.Decide(consultation.Input{Subject: subject(), Consultations: consultations{c}, Evidence: evidence{e}, Now: noon})
			if v := d.Requirements[0]; d.Allowed || v.Verdict != "pending" || len(v.Evidence) != 0 {
				t.Errorf("Decide() = %s with evidence %v, want pending with none", v.Verdict, v.Evidence)
			}
		})
	}
}

func TestDecideTakesOnlyConsultationsThatAskForTheRequirement(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*consultation.Consultation){
		"another tenant's":            func(c *consultation.Consultation) { c.Tenant = "other" },
		"another task's":              func(c *consultation.Consultation) { c.TaskID = "task-2" },
		"another requirement's":       func(c *consultation.Consultation) { c.RequirementID = "r2" },
		"another source's":            func(c *consultation.Consultation) { c.SourceAgent = "planner" },
		"one that asked another":      func(c *consultation.Consultation) { c.TargetAgent = "tester" },
		"one of an earlier phase":     func(c *consultation.Consultation) { c.Phase = consultation.PhasePreExecution },
		"one that was never started":  func(c *consultation.Consultation) { c.SourceAgent = "" },
		"an earlier task's of its id": func(c *consultation.Consultation) { c.TaskTime = noon.Add(-24 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := asked(1, current)
			spoil(&c)
			e := answer(c, "approved")
			e.TaskID, e.SourceAgent, e.TargetAgent, e.Recorder = c.TaskID, c.SourceAgent, c.TargetAgent, c.TargetAgent
			s := subject()
			s.TaskTime = noon.Add(-time.Hour)
			d := consultation.Decide(consultation.Input{Subject: s, Consultations: consultations{c}, Evidence: evidence{e}, Now: noon})
			if v := d.Requirements[0]; d.Allowed || v.Verdict != "missing" {
				t.Errorf("Decide() = %s, want missing", v.Verdict)
			}
		})
	}
}

func TestDecideOnSeveralRequirements(t *testing.T) {
	t.Parallel()
	change := func(f func(*consultation.Requirement)) consultation.Requirement {
		r := requirement
		f(&r)
		return r
	}
	sensitive := &consultation.Condition{Attribute: "sensitive", Operator: "equals", Value: true}
	type want struct {
		id, verdict string
		applies     bool
		reason      string
	}
	tests := map[string]struct {
		requirements []consultation.Requirement
		attributes   consultation.Attributes
		allowed      bool
		want         []want
	}{
		"none": {nil, nil, true, nil},
		"one of another phase is not looked at": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Phase = consultation.PhaseOnError })}, nil, true, nil,
		},
		"what follows one of another phase is": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Phase = consultation.PhaseOnError }), requirement},
			nil, false,
			[]want{{"r", "missing", true, ""}},
		},
		"one whose condition is false does not apply": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Condition = sensitive })},
			nil, true,
			[]want{{"r", "", false, `Requirement "r" does not apply: the task has no attribute "sensitive".`}},
		},
		"one whose condition is true applies": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Condition = sensitive })},
			consultation.Attributes{"sensitive": "true"},
			false,
			[]want{{"r", "missing", true, "found no consultation"}},
		},
		"a recommended one only warns": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Mandatory = false })},
			nil, true,
			[]want{{"r", "missing", true, "recommended) is not met; it does not block"}},
		},
		"one with an unknown phase blocks whatever its condition": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.Phase, r.Condition = "precompletion", sensitive })},
			nil, false,
			[]want{{"r", "missing", true, "its phase is unknown. Correct the requirement in the metadata of coder, then cancel this task"}},
		},
		"one that names the source blocks": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.TargetAgent = source })},
			nil, false,
			[]want{{"r", "missing", true, "names the agent that executes the task. Correct"}},
		},
		"each has its verdict, in order": {
			[]consultation.Requirement{change(func(r *consultation.Requirement) { r.ID = "z" }), change(func(r *consultation.Requirement) { r.ID = "approved" })},
			nil, false,
			[]want{{"z", "missing", true, ""}, {"approved", "approved", true, ""}},
		},
	}
	approved := asked(1, current)
	approved.RequirementID = "approved"
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subject()
			s.Requirements, s.Attributes = test.requirements, test.attributes
			d := consultation.Decide(consultation.Input{Subject: s, Consultations: consultations{approved}, Evidence: evidence{answer(approved, "approved")}, Now: noon})
			if d.Allowed != test.allowed || len(d.Requirements) != len(test.want) {
				t.Fatalf("Decide() = %+v, want allowed %v and %d verdicts", d, test.allowed, len(test.want))
			}
			for i, w := range test.want {
				v := d.Requirements[i]
				if v.Requirement.ID != w.id || v.Verdict != w.verdict || v.Applies != w.applies || !strings.Contains(v.Reason, w.reason) {
					t.Errorf("Decide() = %s %q %v %q, want %+v", v.Requirement.ID, v.Verdict, v.Applies, v.Reason, w)
				}
			}
		})
	}
}

func TestDecideWithoutTheCurrentDigestBlocks(t *testing.T) {
	t.Parallel()
	c := asked(1, "")
	s := subject()
	s.Digests = nil
	d := consultation.Decide(consultation.Input{Subject: s, Consultations: consultations{c}, Evidence: evidence{answer(c, "approved")}, Now: noon})
	if v := d.Requirements[0]; d.Allowed || v.Verdict != "stale" || !strings.HasPrefix(v.LookedFor, "an approval by reviewer of the content under review, ") {
		t.Errorf("Decide() without a digest = %s, looked for %q, want stale", v.Verdict, v.LookedFor)
	}
}

func TestDecideShowsAtMostTwentyPiecesNewestFirst(t *testing.T) {
	t.Parallel()
	var asks consultations
	var list evidence
	for n := range 30 {
		c := asked(n+1, current)
		asks, list = append(asks, c), append(list, answer(c, "approved"))
	}
	d := consultation.Decide(consultation.Input{Subject: subject(), Consultations: asks, Evidence: list, Now: noon})
	var got []int
	for _, e := range d.Requirements[0].Evidence {
		got = append(got, e.Attempt)
	}
	want := []int{30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Decide() shows attempts (-want +got):\n%s", diff)
	}
}
