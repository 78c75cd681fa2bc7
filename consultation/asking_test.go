package consultation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// asks has the target of c ask a question, or none any more, and returns how often somebody was told.
func (f *fixture) asks(t *testing.T, c consultation.Consultation, question string) (told int) {
	t.Helper()
	f.OnChange(func(string, string) { told++ })
	if err := f.Asks(t.Context(), tenant, task, c.ID, question); err != nil {
		t.Fatalf("Asks(%q) = %v, want no error", question, err)
	}
	return told
}

func TestATargetThatAsksDefersItsVerdict(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	if err := f.SetCarrier(t.Context(), tenant, task, c.ID, "child"); err != nil {
		t.Fatalf("SetCarrier() = %v, want no error", err)
	}
	if told := f.asks(t, c, "which policy?"); told != 1 {
		t.Errorf("OnChange was called %d times, want 1", told)
	}
	if told := f.asks(t, c, "which policy?"); told != 0 {
		t.Errorf("OnChange was called %d times for the same question, want 0", told)
	}
	f.asks(t, c, "which one?")
	if _, v := f.check(t); !strings.Contains(v.Reason, `asks "which one?"`) {
		t.Errorf("Check() = %q, want the later question", v.Reason)
	}
	f.asks(t, c, "which policy?")
	allowed, v := f.check(t)
	if allowed || v.Verdict != consultation.VerdictDeferred || !strings.Contains(v.Reason, `asks "which policy?", until 2026-11-20T12:15:00Z`) || !strings.Contains(v.Reason, "quorate tasks reply child") {
		t.Errorf("Check() = %v, %s, %q, want it deferred with the question and where to answer", allowed, v.Verdict, v.Reason)
	}
	if again := f.issue(t, current); again.ID != c.ID {
		t.Errorf("Issue() = %s, want %s while it asks", again.ID, c.ID)
	}
	f.asks(t, c, "")
	if _, v := f.check(t); v.Verdict != consultation.VerdictPending || strings.Contains(v.Reason, "policy") {
		t.Errorf("Check() after the reply = %s, %q, want it pending", v.Verdict, v.Reason)
	}
}

func TestAQuestionEndsWithItsConsultation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end            func(*testing.T, *fixture, consultation.Consultation)
		state, verdict string
	}{
		"by a verdict": {func(t *testing.T, f *fixture, c consultation.Consultation) {
			t.Helper()
			f.record(t, claim(c, "approved", spanID))
		}, "answered", "approved"},
		"by an answer without evidence": {func(t *testing.T, f *fixture, c consultation.Consultation) {
			t.Helper()
			if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
				t.Errorf("Carried() = %v, want no error", err)
			}
		}, "failed", "missing"},
		"by its time": {func(_ *testing.T, f *fixture, _ consultation.Consultation) { f.Advance(16 * time.Minute) }, "expired", "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.issue(t, current)
			f.asks(t, c, "which policy?")
			test.end(t, f, c)
			f.asks(t, c, "or which?") // too late
			list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
			if err != nil || list[0].State != test.state || list[0].Feedback == "or which?" {
				t.Errorf("Consultations() = %+v, %v, want it %s", list, err, test.state)
			}
			if _, v := f.check(t); v.Verdict != test.verdict {
				t.Errorf("Check() = %s, want %s", v.Verdict, test.verdict)
			}
		})
	}
}

func TestWhileTracesAreAskedAQuestionIsOverWithTheAnswer(t *testing.T) {
	t.Parallel()
	f, _, _ := newSigned(t, "")
	c := f.issue(t, current)
	f.asks(t, c, "which policy?")
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() = %v, want no error", err)
	}
	if _, v := f.check(t); v.Verdict != consultation.VerdictPending || strings.Contains(v.Found, "policy") {
		t.Errorf("Check() = %s, found %q, want it pending until the span is there", v.Verdict, v.Found)
	}
}

// TestAQuestionIsOverWithTheAnswerWhoeverIsLate has a replica that was paused tell of a question that has been answered since.
func TestAQuestionIsOverWithTheAnswerWhoeverIsLate(t *testing.T) {
	t.Parallel()
	f, _ := newTraced(t, consultation.LevelCarried)
	c := f.carried(t)
	if told := f.asks(t, c, "which policy?"); told != 0 {
		t.Errorf("OnChange was called %d times, want 0", told)
	}
	if d, v := f.decide(t); v.Verdict != consultation.VerdictPending || d.CheckAgain == 0 {
		t.Errorf("Check() = %s, again after %s, want it pending and looked for again", v.Verdict, d.CheckAgain)
	}
}

// TestWhoIsHeldByAQuestionLearnsThatItsTimeIsOver has the carrier end at the deadline, which is the consultation's: no evidence is waited for while a target
// asks, so that nobody else looks.
func TestWhoIsHeldByAQuestionLearnsThatItsTimeIsOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	f.asks(t, c, "which policy?")
	f.Advance(16 * time.Minute)
	told := 0
	f.OnChange(func(string, string) { told++ })
	for range 2 {
		if err := f.Fail(t.Context(), tenant, task, c.ID, "its time is over"); err != nil {
			t.Fatalf("Fail() = %v, want no error", err)
		}
	}
	if _, v := f.check(t); told == 0 || v.Verdict != consultation.VerdictMissing || !strings.Contains(v.Found, "no answer in time") {
		t.Errorf("OnChange was called %d times, Check() = %s, %q, want it called and no answer in time", told, v.Verdict, v.Found)
	}
}

func TestAQuestionIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	f.asks(t, c, strings.Repeat("é", 5000)+"\xff")
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || len(list[0].Feedback) > consultation.MaxFeedbackBytes || list[0].State != consultation.StateAsking {
		t.Errorf("Consultations() = %d bytes of question, %v, want at most %d", len(list[0].Feedback), err, consultation.MaxFeedbackBytes)
	}
	if err := f.Asks(t.Context(), tenant, "task-2", c.ID, "?"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Asks() of another task = %v, want CONSULTATION_NOT_FOUND", err)
	}
}
