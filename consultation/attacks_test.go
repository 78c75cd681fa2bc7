package consultation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

const spanID = "00000000000000a1"

func TestRecordRefusesEveryAttack(t *testing.T) {
	t.Parallel()
	type attack struct {
		recorder consultation.Recorder
		change   func(*consultation.Claim)
		reason   string
		verdict  string // afterwards; empty means pending
	}
	tests := map[string]attack{
		"the source writes its own review span": {
			recorder: consultation.Recorder{Tenant: tenant, Agent: source},
			reason:   consultation.ReasonNotTheTarget, verdict: consultation.VerdictUnauthenticated,
		},
		"the source names itself as the target": {
			recorder: consultation.Recorder{Tenant: tenant, Agent: source},
			change:   func(c *consultation.Claim) { c.TargetAgent, c.ServiceName = source, source },
			reason:   consultation.ReasonNotTheTarget, verdict: consultation.VerdictUnauthenticated,
		},
		"another agent answers in the target's name": {
			recorder: consultation.Recorder{Tenant: tenant, Agent: "stranger"},
			reason:   consultation.ReasonNotTheTarget, verdict: consultation.VerdictUnauthenticated,
		},
		"an alias of the target answers": {
			recorder: consultation.Recorder{Tenant: tenant, Agent: "Reviewer"},
			change:   func(c *consultation.Claim) { c.TargetAgent, c.ServiceName = "Reviewer", "Reviewer" },
			reason:   consultation.ReasonNotTheTarget, verdict: consultation.VerdictUnauthenticated,
		},
		"an admin's credential records a verdict": {
			recorder: consultation.Recorder{Tenant: tenant},
			reason:   consultation.ReasonNotAnAgent, verdict: consultation.VerdictUnauthenticated,
		},
		"the resource is another service": {
			change: func(c *consultation.Claim) { c.ServiceName = source },
			reason: consultation.ReasonOtherService, verdict: consultation.VerdictUnauthenticated,
		},
		"the span names another target than its sender": {
			change: func(c *consultation.Claim) { c.TargetAgent = "tester" }, reason: consultation.ReasonNotTheTarget,
		},
		"another tenant's agent of the same name answers": {
			recorder: consultation.Recorder{Tenant: "other", Agent: target}, reason: consultation.ReasonUnknownConsultation,
		},
		"a consultation that was never issued": {
			change: func(c *consultation.Claim) { c.ConsultationID = "guess" }, reason: consultation.ReasonUnknownConsultation,
		},
		"no consultation at all": {
			change: func(c *consultation.Claim) { c.ConsultationID = "" }, reason: consultation.ReasonUnknownConsultation,
		},
		"an endless consultation id": {
			change: func(c *consultation.Claim) { c.ConsultationID = strings.Repeat("x", 1<<20) }, reason: consultation.ReasonUnknownConsultation,
		},
		"an approval for another task": {
			change: func(c *consultation.Claim) { c.TaskID = "task-2" }, reason: consultation.ReasonOtherTask,
		},
		"an approval for another requirement": {
			change: func(c *consultation.Claim) { c.RequirementID = "r2" }, reason: consultation.ReasonOtherRequirement,
		},
		"an approval for another phase": {
			change: func(c *consultation.Claim) { c.Phase = consultation.PhasePreExecution }, reason: consultation.ReasonOtherPhase,
		},
		"an approval of another source's work": {
			change: func(c *consultation.Claim) { c.SourceAgent = "planner" }, reason: consultation.ReasonOtherSource,
		},
		"the target reviews itself": {
			change: func(c *consultation.Claim) { c.SourceAgent = target }, reason: consultation.ReasonSelfReview,
		},
		"another attempt": {
			change: func(c *consultation.Claim) { c.Attempt++ }, reason: consultation.ReasonOtherAttempt,
		},
		"an approval of other content": {
			change: func(c *consultation.Claim) { c.SubjectDigest = older }, reason: consultation.ReasonOtherDigest,
		},
		"a trace that was not minted for it": {
			change: func(c *consultation.Claim) { c.TraceID = strings.Repeat("ab", 16) },
			reason: consultation.ReasonOtherTrace, verdict: consultation.VerdictUnauthenticated,
		},
		"an unknown outcome": {
			change: func(c *consultation.Claim) { c.Outcome = "Approved" }, reason: consultation.ReasonUnknownOutcome,
		},
		"a feedback that is too long": {
			change: func(c *consultation.Claim) { c.Feedback = strings.Repeat("x", 1025) }, reason: consultation.ReasonFeedbackTooLong,
		},
		"a feedback that is not text": {
			change: func(c *consultation.Claim) { c.Feedback = "\xff" }, reason: consultation.ReasonMalformed,
		},
		"a schema of the future": {
			change: func(c *consultation.Claim) { c.SchemaVersion = 2 }, reason: consultation.ReasonSchema,
		},
		"no schema": {
			change: func(c *consultation.Claim) { c.SchemaVersion = 0 }, reason: consultation.ReasonSchema,
		},
		"no trace id": {
			change: func(c *consultation.Claim) { c.TraceID = strings.Repeat("0", 32) }, reason: consultation.ReasonMalformed,
		},
		"a trace id that is no number": {
			change: func(c *consultation.Claim) { c.TraceID = strings.Repeat("g", 32) }, reason: consultation.ReasonMalformed,
		},
		"no span id": {
			change: func(c *consultation.Claim) { c.SpanID = "" }, reason: consultation.ReasonMalformed,
		},
		"a span id of zeros": {
			change: func(c *consultation.Claim) { c.SpanID = strings.Repeat("0", 16) }, reason: consultation.ReasonMalformed,
		},
		"a span id that is no number": {
			change: func(c *consultation.Claim) { c.SpanID = strings.Repeat("g", 16) }, reason: consultation.ReasonMalformed,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			cl := claim(f.issue(t, current), consultation.OutcomeApproved, spanID)
			if test.change != nil {
				test.change(&cl)
			}
			recorder := test.recorder
			if recorder.Tenant == "" {
				recorder = reviewer
			}
			err := f.Record(t.Context(), recorder, cl)
			if fault.ReasonOf(err) != test.reason || !consultation.IsRefusal(err) {
				t.Errorf("Record() = %v, want the refusal %s", err, test.reason)
			}
			want := test.verdict
			if want == "" {
				want = consultation.VerdictPending
			}
			if allowed, v := f.check(t); allowed || v.Verdict != want {
				t.Errorf("Check() = %v, %s, want it blocked as %s", allowed, v.Verdict, want)
			}
			list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
			if err != nil {
				t.Fatalf("Consultations() = %v, want no error", err)
			}
			noted := list[0].Refused
			if test.reason == consultation.ReasonUnknownConsultation {
				if len(noted) > 0 {
					t.Errorf("Consultations() notes %v, want nothing", noted)
				}
			} else if len(noted) != 1 || noted[0].Reason != test.reason || noted[0].Recorder != recorder.Agent {
				t.Errorf("Consultations() notes %v, want one refusal %s from %q", noted, test.reason, recorder.Agent)
			}
		})
	}
}

func TestTheLongestFeedbackIsRecorded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cl := claim(f.issue(t, current), consultation.OutcomeRejected, spanID)
	cl.Feedback = strings.Repeat("x", consultation.MaxFeedbackBytes)
	f.record(t, cl)
	if list, err := f.Consultations(t.Context(), tenant, task, time.Time{}); err != nil || list[0].Feedback != cl.Feedback {
		t.Errorf("Consultations() = %+v, %v, want the feedback of %d bytes as it is", list, err, consultation.MaxFeedbackBytes)
	}
}

// TestAClaimIsJudgedByWhatIsThereWhenItIsWritten has a span of the same id with another outcome come between the first look and the writing.
func TestAClaimIsJudgedByWhatIsThereWhenItIsWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	f.store.before = func() { f.record(t, claim(c, consultation.OutcomeRejected, spanID)) }
	if err := f.Record(t.Context(), reviewer, claim(c, consultation.OutcomeApproved, spanID)); fault.ReasonOf(err) != consultation.ReasonConflict {
		t.Errorf("Record() = %v, want %s", err, consultation.ReasonConflict)
	}
	if allowed, v := f.check(t); allowed || v.Verdict != consultation.VerdictRejected {
		t.Errorf("Check() = %v, %s, want it blocked as rejected", allowed, v.Verdict)
	}
}

func TestEachReasonOfARefusalIsNoted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	early := claim(f.issue(t, current), consultation.OutcomeApproved, spanID)
	early.Attempt++
	other := early
	other.TaskID = "task-2"
	for _, cl := range []consultation.Claim{early, other, early} {
		if err := f.Record(t.Context(), reviewer, cl); !consultation.IsRefusal(err) {
			t.Fatalf("Record() = %v, want a refusal", err)
		}
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || len(list[0].Refused) != 2 || list[0].Refused[0].Reason != consultation.ReasonOtherAttempt || list[0].Refused[1].Reason != consultation.ReasonOtherTask {
		t.Errorf("Consultations() notes %v, %v, want another attempt and another task, once each", list[0].Refused, err)
	}
}

func TestAForgedSpanDoesNotSpoilAnHonestOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	forged := claim(c, consultation.OutcomeRejected, spanID)
	for i := range 100 {
		if i == 3*consultation.MaxRefusals {
			f.store.writes = errors.New("a flood of forged spans is written to the store")
		}
		r := consultation.Recorder{Tenant: tenant, Agent: fmt.Sprintf("forger-%d", i/3)} // each sends it three times
		if err := f.Record(t.Context(), r, forged); fault.ReasonOf(err) != consultation.ReasonNotTheTarget {
			t.Fatalf("Record() = %v, want %s", err, consultation.ReasonNotTheTarget)
		}
	}
	f.store.writes = nil
	if _, v := f.check(t); !strings.HasSuffix(v.Found, "a span from forger-10 (EVIDENCE_NOT_THE_TARGET), 17 more") {
		t.Errorf("Check() has found %q, want three of the refused spans and how many more there are", v.Found)
	}
	f.record(t, claim(c, consultation.OutcomeApproved, spanID))
	if allowed, v := f.check(t); !allowed {
		t.Errorf("Check() = %s, want it allowed", v.Reason)
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || len(list[0].Refused) != consultation.MaxRefusals || list[0].Refused[consultation.MaxRefusals-1].Recorder != "forger-19" {
		t.Errorf("Consultations() notes %v, %v, want one refusal for each of the first %d", list[0].Refused, err, consultation.MaxRefusals)
	}
}

func TestAnOldApprovalCannotBeReplayed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.issue(t, older)
	approval := claim(first, consultation.OutcomeApproved, spanID)
	f.record(t, approval)
	second := f.issue(t, current)
	if second.Attempt != 2 || second.TraceID == first.TraceID {
		t.Fatalf("Issue() = attempt %d in trace %s, want attempt 2 in a trace of its own", second.Attempt, second.TraceID)
	}
	approval.ConsultationID = second.ID
	if err := f.Record(t.Context(), reviewer, approval); fault.ReasonOf(err) != consultation.ReasonOtherAttempt {
		t.Errorf("Record() of attempt 1 for attempt 2 = %v, want %s", err, consultation.ReasonOtherAttempt)
	}
	if allowed, v := f.check(t); allowed || v.Verdict != consultation.VerdictPending {
		t.Errorf("Check() = %v, %s, want it blocked as pending", allowed, v.Verdict)
	}
}

// TestTheGateSaysWhatTheTargetHasToCorrect is for a target whose exporter does not show why its span was refused, and for what others write.
func TestTheGateSaysWhatTheTargetHasToCorrect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cl := claim(f.issue(t, current), "yes", spanID)
	for _, r := range []consultation.Recorder{reviewer, {Tenant: tenant, Agent: source}} {
		if err := f.Record(t.Context(), r, cl); !consultation.IsRefusal(err) {
			t.Fatalf("Record() = %v, want a refusal", err)
		}
		if _, v := f.check(t); !strings.Contains(v.Found, `a span from reviewer (EVIDENCE_UNKNOWN_OUTCOME: the outcome "yes" is not approved, rejected, deferred or error)`) {
			t.Errorf("Check() has found %q, want it to say what is wrong with the target's span", v.Found)
		}
	}
	if _, v := f.check(t); !strings.Contains(v.Found, "a span from coder (EVIDENCE_NOT_THE_TARGET)") || !strings.Contains(v.Reason, "Find out who sent the refused spans") {
		t.Errorf("Check() says %q, want only the reason for what another agent sent", v.Reason)
	}
}

func TestALateVerdictDoesNotCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cl := claim(f.issue(t, current), consultation.OutcomeApproved, spanID)
	f.Advance(15*time.Minute + time.Nanosecond)
	if err := f.Record(t.Context(), reviewer, cl); fault.ReasonOf(err) != consultation.ReasonExpired {
		t.Errorf("Record() = %v, want %s", err, consultation.ReasonExpired)
	}
	allowed, v := f.check(t)
	if allowed || v.Verdict != consultation.VerdictMissing || !strings.Contains(v.Found, "no answer in time; refused a span from reviewer (EVIDENCE_EXPIRED: the consultation ended at ") ||
		!strings.Contains(v.Reason, "To have reviewer asked: ") {
		t.Errorf("Check() = %v, %s, found %q, want it missing with the late span named", allowed, v.Verdict, v.Found)
	}
}

func TestAVerdictOfTheLastMomentCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cl := claim(f.issue(t, current), consultation.OutcomeApproved, spanID)
	f.Advance(15 * time.Minute)
	f.record(t, cl)
	if allowed, v := f.check(t); !allowed {
		t.Errorf("Check() = %s, found %q, want it approved", v.Verdict, v.Found)
	}
}

func TestASpanIsRecordedOnceAndForAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	calls := 0
	f.OnChange(func(string, string) { calls++ })
	cl := claim(f.issue(t, current), consultation.OutcomeRejected, spanID)
	f.record(t, cl)
	received := f.Now()
	f.Advance(time.Minute)
	f.record(t, cl)
	f.Advance(time.Hour)
	f.record(t, cl) // a sender that never saw our answer
	cl.Outcome = consultation.OutcomeApproved
	if err := f.Record(t.Context(), reviewer, cl); fault.ReasonOf(err) != consultation.ReasonConflict {
		t.Errorf("Record() of other content = %v, want %s", err, consultation.ReasonConflict)
	}
	if _, v := f.check(t); v.Verdict != consultation.VerdictRejected || len(v.Evidence) != 1 {
		t.Errorf("Check() = %s with %d pieces of evidence, want rejected with 1", v.Verdict, len(v.Evidence))
	} else if got := v.Evidence[0].Timestamp; got != received {
		t.Errorf("Check() shows evidence of %s, want of %s, when it came first", got, received)
	}
	if calls != 1 {
		t.Errorf("OnChange was called %d times, want 1", calls)
	}
}

// A sender that does not see our answers sends its last span again and again.
func TestASpanThatComesAgainTakesNoRoom(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	f.record(t, claim(c, consultation.OutcomeApproved, spanID))
	for range 20 {
		f.record(t, claim(c, consultation.OutcomeApproved, "00000000000000ff"))
	}
}

func TestAFloodOfApprovalsLeavesRoomForARejection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	refused := 0
	for i := range 50 {
		err := f.Record(t.Context(), reviewer, claim(c, consultation.OutcomeApproved, fmt.Sprintf("%016x", i+1)))
		if err != nil && fault.ReasonOf(err) != consultation.ReasonTooMany {
			t.Fatalf("Record() = %v, want nil or %s", err, consultation.ReasonTooMany)
		}
		if err != nil {
			refused++
		}
	}
	if refused != 34 {
		t.Errorf("Record() refused %d of 50 approvals, want 34", refused)
	}
	f.record(t, claim(c, consultation.OutcomeRejected, spanID))
	if allowed, v := f.check(t); allowed || v.Verdict != consultation.VerdictRejected {
		t.Errorf("Check() = %v, %s, want it blocked as rejected", allowed, v.Verdict)
	}
	if list, err := f.Consultations(t.Context(), tenant, task, time.Time{}); err != nil || list[0].Outcome != consultation.OutcomeRejected {
		t.Errorf("Consultations() = %+v, %v, want one that is rejected", list, err)
	}
	more := claim(c, consultation.OutcomeRejected, "00000000000000ff")
	if err := f.Record(t.Context(), reviewer, more); fault.ReasonOf(err) != consultation.ReasonTooMany {
		t.Errorf("Record() of another rejection = %v, want %s: it makes the outcome no stricter", err, consultation.ReasonTooMany)
	}
}

func TestARefusedIDIsNotLookedFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.reads = errors.New("no key of an item has this length")
	for _, id := range []string{"", strings.Repeat("x", 129)} {
		cl := consultation.Claim{ConsultationID: id, TaskID: task}
		if err := f.Record(t.Context(), reviewer, cl); !consultation.IsRefusal(err) || fault.ReasonOf(err) != consultation.ReasonUnknownConsultation {
			t.Errorf("Record() for an id of %d bytes = %v, want %s", len(id), err, consultation.ReasonUnknownConsultation)
		}
	}
}

func TestRecordTellsTroubleFromRefusal(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for name, breakIt := range map[string]func(*failing){
		"reading": func(s *failing) { s.reads = broken },
		"writing": func(s *failing) { s.writes = broken },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			cl := claim(f.issue(t, current), consultation.OutcomeApproved, spanID)
			breakIt(f.store)
			if err := f.Record(t.Context(), reviewer, cl); !errors.Is(err, broken) || consultation.IsRefusal(err) {
				t.Errorf("Record() = %v, want %v and no refusal", err, broken)
			}
		})
	}
}

// TestAnApprovalDoesNotCountForALaterTaskOfTheSameID has an id come again, as that of a repeated request does once its first task has been removed.
func TestAnApprovalDoesNotCountForALaterTaskOfTheSameID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.Now()
	q := question(current)
	q.TaskTime, q.Request = first, consultation.Request{Caller: "ci", ID: "1", Digest: "x"}
	c, err := f.Issue(t.Context(), q)
	if err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	f.record(t, claim(c, consultation.OutcomeApproved, spanID))
	f.Advance(30 * 24 * time.Hour)
	for at, want := range map[time.Time]string{first: consultation.VerdictApproved, f.Now(): consultation.VerdictMissing} {
		s := subject()
		s.TaskTime = at
		d, err := f.Check(t.Context(), s)
		if err != nil || d.Requirements[0].Verdict != want {
			t.Errorf("Check() of the task of %s = %+v, %v, want %s", at, d, err, want)
		}
		list, err := f.Consultations(t.Context(), tenant, task, at)
		if known := want == consultation.VerdictApproved; err != nil || (len(list) == 1) != known {
			t.Errorf("Consultations() of the task of %s = %v, %v, want that one: %t", at, list, err, known)
		}
		if _, ok, err := f.Asked(t.Context(), tenant, task, at, q.Request); err != nil || ok != (want == consultation.VerdictApproved) {
			t.Errorf("Asked() of the task of %s = %t, %v, want it for the first task only", at, ok, err)
		}
	}
	q.TaskTime = f.Now()
	if again, err := f.Issue(t.Context(), q); err != nil || again.ID == c.ID || again.Attempt != 1 {
		t.Errorf("Issue() for the later task = %+v, %v, want a first attempt of its own", again, err)
	}
}

func TestNoEvidenceIsSoughtForAnEarlierTaskOfTheSameID(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, "")
	q, s := question(current), subject()
	q.TaskTime, s.TaskTime = f.Now(), f.Now().Add(time.Minute)
	c, err := f.Issue(t.Context(), q)
	if err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() = %v, want no error", err)
	}
	if d, err := f.Check(t.Context(), s); err != nil || d.CheckAgain != 0 || b.asked != 0 {
		t.Errorf("Check() of the later task = %+v, %v, and the backend was asked %d times, want never", d, err, b.asked)
	}
}

// TestAConsultationOfAnEarlierVersionCounts has one that a replica issued which does not note yet when tasks are accepted.
func TestAConsultationOfAnEarlierVersionCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.record(t, claim(f.issue(t, current), consultation.OutcomeApproved, spanID))
	s := subject()
	s.TaskTime = f.Now()
	if d, err := f.Check(t.Context(), s); err != nil || !d.Allowed {
		t.Errorf("Check() = %+v, %v, want that it is allowed: its replicas are upgraded one after the other", d, err)
	}
}
