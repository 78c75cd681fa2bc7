package consultation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// backend is a trace backend that anybody may write to.
type backend struct {
	claims []consultation.Claim
	err    error
	asked  int
}

func (b *backend) Lag() time.Duration { return 30 * time.Second }

func (b *backend) Name() string { return "jaeger" }

func (b *backend) Verdicts(context.Context, consultation.Consultation) ([]consultation.Claim, error) {
	b.asked++
	return b.claims, b.err
}

// newTraced is a fixture whose ledger asks a backend, for evidence of at least a level.
func newTraced(t *testing.T, lowest string) (*fixture, *backend) {
	t.Helper()
	f, b := newFixture(t), &backend{}
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, Lowest: lowest, Traces: []consultation.Traces{b}})
	return f, b
}

// carried issues a consultation about the current content and brings its answer back.
func (f *fixture) carried(t *testing.T) consultation.Consultation {
	t.Helper()
	c := f.issue(t, current)
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() = %v, want no error", err)
	}
	return c
}

// decide returns the whole decision on requirement for the current content.
func (f *fixture) decide(t *testing.T) (consultation.Decision, consultation.RequirementVerdict) {
	t.Helper()
	d, err := f.Check(t.Context(), subject())
	if err != nil || len(d.Requirements) != 1 {
		t.Fatalf("Check() = %v, %v, want one requirement", d, err)
	}
	return d, d.Requirements[0]
}

func TestEvidenceInATraceBackendDecidesWhereThePolicyTakesIt(t *testing.T) {
	t.Parallel()
	for outcome, allowed := range map[string]bool{"approved": true, "rejected": false, "deferred": false, "error": false} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, consultation.LevelCarried)
			told := 0
			f.OnChange(func(string, string) { told++ })
			c := f.carried(t)
			b.claims = []consultation.Claim{claim(c, outcome, spanID)}
			d, v := f.decide(t)
			if d.Allowed != allowed || v.Verdict != outcome || v.Lowest != "C1" || v.Level != "C1" || d.CheckAgain != 0 {
				t.Errorf("Check() = %v, %+v, want the verdict %s at level C1", d.Allowed, v, outcome)
			}
			if len(v.Evidence) != 1 || v.Evidence[0].Backend != "jaeger" || v.Evidence[0].Recorder != "" {
				t.Errorf("Check() shows %+v, want one span from jaeger that nobody signed for", v.Evidence)
			}
			if told != 2 { // the answer is back, and then the outcome is known
				t.Errorf("OnChange was called %d times, want 2", told)
			}
		})
	}
}

func TestEvidenceBelowTheLowestLevelOpensNothing(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"", consultation.LevelRecorded, "C9"} {
		t.Run("policy "+policy, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, policy)
			b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
			f.OnChange(func(string, string) { t.Error("OnChange was called, want it silent: there is no outcome") })
			d, v := f.decide(t)
			if d.Allowed || v.Verdict != consultation.VerdictUnauthenticated || v.Level != "C1" || len(v.Evidence) != 1 {
				t.Errorf("Check() = %v, %+v, want it blocked as unauthenticated, with the span shown", d.Allowed, v)
			}
			if v.Lowest != "C9" && !strings.Contains(v.Reason, "approved in the name of reviewer, at level C1 only. Evidence of level C2 is needed") {
				t.Errorf("Check() says %q, want both levels", v.Reason)
			}
			if d.CheckAgain == 0 {
				t.Error("Check() waits for nobody, want it to look again for a better span")
			}
			f.Advance(31 * time.Second)
			if _, v := f.decide(t); v.Lowest != "C9" && !strings.Contains(v.Reason, "Evidence of level C2 is needed") {
				t.Errorf("Check() when no span may come any more says %q, want the level that is needed", v.Reason)
			}
		})
	}
}

func TestWhatAnybodyMayHaveWrittenDoesNotSpoilTheTargetsOwnVerdict(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelRecorded)
	c := f.carried(t)
	for i := range 100 {
		b.claims = append(b.claims, claim(c, "rejected", fmt.Sprintf("%016x", i+1)), claim(c, "approved", fmt.Sprintf("%016x", i+1)))
	}
	if _, v := f.decide(t); v.Verdict != consultation.VerdictUnauthenticated {
		t.Fatalf("Check() = %s, want unauthenticated", v.Verdict)
	}
	f.record(t, claim(c, "approved", fmt.Sprintf("%016x", 1))) // the id of a span that is found with another outcome
	d, v := f.decide(t)
	if !d.Allowed || v.Level != "C2" {
		t.Errorf("Check() = %v, %s at level %q, want it approved at level C2", d.Allowed, v.Reason, v.Level)
	}
}

func TestABackendIsAskedAboutTheCurrentContentAlsoAfterAQuestionAboutOther(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	if err := f.Fail(t.Context(), tenant, task, f.issue(t, older).ID, "it could not be sent"); err != nil {
		t.Fatalf("Fail() = %v, want no error", err)
	}
	if d, v := f.decide(t); !d.Allowed {
		t.Errorf("Check() = %v, %s, want it approved by the answer about the current content", d.Allowed, v.Reason)
	}
}

func TestABackendIsAskedAboutTheNewestAttempt(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	first := f.carried(t)
	f.Advance(first.ExpireTime.Sub(f.Now()) + time.Second)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	if d, v := f.decide(t); !d.Allowed || b.asked != 1 {
		t.Errorf("Check() = %v, %s after %d looks, want it approved by the second attempt after one", d.Allowed, v.Reason, b.asked)
	}
}

func TestABackendIsAskedAlsoAfterAQuestionForAnotherRequirement(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	q := question(current)
	q.Requirement.ID = "r2"
	if _, err := f.Issue(t.Context(), q); err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	if d, v := f.decide(t); !d.Allowed {
		t.Errorf("Check() = %v, %s, want it approved by the answer for its own requirement", d.Allowed, v.Reason)
	}
}

func TestABackendIsAskedFromTheAnswerUntilThereIsEvidence(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	c := f.issue(t, current)
	b.claims = []consultation.Claim{claim(c, "approved", spanID)} // by somebody who knows the trace before the target has answered
	d, v := f.decide(t)
	if v.Verdict != consultation.VerdictPending || b.asked != 0 || d.CheckAgain != 0 {
		t.Errorf("Check() before the answer = %s after %d looks, want pending and none", v.Verdict, b.asked)
	}
	b.claims = nil
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() = %v", err)
	}
	d, v = f.decide(t)
	if v.Verdict != consultation.VerdictPending || d.CheckAgain != 2*time.Second || !strings.Contains(v.Found, "answered, no evidence in the traces yet") {
		t.Errorf("Check() after the answer = %+v, again in %s, want pending and another look", v, d.CheckAgain)
	}
	f.Advance(20 * time.Second)
	if d, _ = f.decide(t); d.CheckAgain != 5*time.Second {
		t.Errorf("Check() = again in %s after 20 s, want 5 s", d.CheckAgain)
	}
	b.claims = []consultation.Claim{claim(c, "approved", spanID)}
	if d, v = f.decide(t); !d.Allowed {
		t.Fatalf("Check() = %+v, want approved", v)
	}
	b.claims, b.err = nil, errors.New("forgotten, and away")
	asked := b.asked
	if d, v = f.decide(t); !d.Allowed || b.asked != asked {
		t.Errorf("Check() = %s after %d more looks, want approved by what is on record", v.Verdict, b.asked-asked)
	}
}

func TestBackendsAreAskedUntilOneHasEvidence(t *testing.T) {
	t.Parallel()
	f, first, second := newFixture(t), &backend{}, &backend{}
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, Lowest: consultation.LevelCarried, Traces: []consultation.Traces{first, second}})
	found := []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	if d, _ := f.decide(t); d.Allowed || first.asked != 1 || second.asked != 1 {
		t.Errorf("Check() = %v after %d and %d looks, want it blocked after one in each", d.Allowed, first.asked, second.asked)
	}
	second.claims = found
	if d, v := f.decide(t); !d.Allowed || first.asked != 2 {
		t.Errorf("Check() = %v, %s after %d looks, want it approved by what the second has", d.Allowed, v.Reason, first.asked)
	}
	f.Advance(f.issue(t, current).ExpireTime.Sub(f.Now()) + time.Second)
	second.claims, first.err = []consultation.Claim{claim(f.carried(t), "deferred", spanID)}, errors.New("away")
	if _, v := f.decide(t); v.Verdict != consultation.VerdictDeferred {
		t.Errorf("Check() = %s, %s while the first is away, want what the second has", v.Verdict, v.Reason)
	}
	f.Advance(f.issue(t, current).ExpireTime.Sub(f.Now()) + time.Second)
	first.err, second.asked = nil, 0
	first.claims = []consultation.Claim{claim(f.carried(t), "rejected", spanID)}
	if _, v := f.decide(t); v.Verdict != consultation.VerdictRejected || second.asked != 0 {
		t.Errorf("Check() = %s after %d looks in the second, want what the first has and none", v.Verdict, second.asked)
	}
}

func TestTheNextLookIsForTheAnswerThatCameLast(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	f.carried(t)
	f.Advance(20 * time.Second)
	q := question(current)
	q.Requirement.ID = "r2"
	c, err := f.Issue(t.Context(), q)
	if err := errors.Join(err, f.Carried(t.Context(), tenant, task, c.ID)); err != nil {
		t.Fatalf("Issue() and Carried() = %v, want no error", err)
	}
	s := subject()
	s.Requirements = append(s.Requirements, q.Requirement)
	for range 2 {
		if d, err := f.Check(t.Context(), s); err != nil || d.CheckAgain != 2*time.Second || b.asked != 2 {
			t.Errorf("Check() = again in %s after %d looks, %v, want 2 s after two", d.CheckAgain, b.asked, err)
		}
		b.asked = 0
		slices.Reverse(s.Requirements)
	}
}

// TestAnAnswerComesBackOnce has the answer to a consultation come back again, and that to one whose outcome is known already.
func TestAnAnswerComesBackOnce(t *testing.T) {
	t.Parallel()
	f, _ := newTraced(t, consultation.LevelRecorded)
	c := f.carried(t)
	f.Advance(20 * time.Second)
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() again = %v, want no error", err)
	}
	f.Advance(20 * time.Second) // more than the lag since the first time, less than that since the second
	if _, v := f.decide(t); v.Verdict != consultation.VerdictMissing {
		t.Errorf("Check() = %+v, want the verdict missing: the backend's time is counted from the first answer", v)
	}
	c = f.issue(t, current)
	f.record(t, claim(c, consultation.OutcomeApproved, spanID))
	if err := f.Carried(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("Carried() of an answered one = %v, want no error", err)
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if i := slices.IndexFunc(list, func(one consultation.Consultation) bool { return one.ID == c.ID }); err != nil || i < 0 || list[i].State != consultation.StateAnswered {
		t.Errorf("Consultations() = %+v, %v, want %s answered still", list, err, c.ID)
	}
}

// TestWhoLooksForNothingNeedsNoTurn checks a task about which nobody was asked.
func TestWhoLooksForNothingNeedsNoTurn(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	none := func() func() { return nil }
	if d, err := f.CheckInTurn(t.Context(), subject(), none); err != nil || d.Allowed {
		t.Errorf("CheckInTurn() = %v, %v, want it blocked without a turn", d, err)
	}
	f.carried(t)
	if _, err := f.CheckInTurn(t.Context(), subject(), none); !errors.Is(err, consultation.ErrNoTurn) {
		t.Errorf("CheckInTurn() = %v, want ErrNoTurn", err)
	}
	taken := 0
	turn := func() func() { taken++; return func() { taken-- } }
	if _, err := f.CheckInTurn(t.Context(), subject(), turn); err != nil || b.asked != 1 || taken != 0 {
		t.Errorf("CheckInTurn() = %v with %d looks, want one, and the turn given back: %d taken", err, b.asked, taken)
	}
}

func TestAnAnswerWhoseSpanDoesNotComeHasFailed(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	c := f.carried(t)
	f.Advance(31 * time.Second)
	d, v := f.decide(t)
	if v.Verdict != consultation.VerdictMissing || d.CheckAgain != 0 || !strings.Contains(v.Found, "answered without evidence in the traces") {
		t.Errorf("Check() after 31 s = %+v, again in %s, want it missing and no more looks", v, d.CheckAgain)
	}
	b.claims = []consultation.Claim{claim(c, "approved", spanID)}
	if d, _ := f.decide(t); !d.Allowed { // somebody checks, and it has come after all
		t.Error("Check() with a span that came late but in time is blocked, want it allowed")
	}
}

func TestASpanThatIsFoundAfterTheTimeDoesNotCount(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	f.Advance(15*time.Minute + time.Nanosecond)
	if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictMissing || b.asked != 0 {
		t.Errorf("Check() = %v, %s after %d looks, want it missing and not looked for", d.Allowed, v.Verdict, b.asked)
	}
}

func TestABackendThatIsNoLongerConfiguredIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	f, _ := newTraced(t, consultation.LevelCarried)
	f.carried(t)
	f.Advance(10 * time.Second)
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, Lowest: consultation.LevelCarried})
	if d, v := f.decide(t); d.Allowed || d.CheckAgain != 0 {
		t.Errorf("Check() = %s, again in %v, want nobody to look again", v.Verdict, d.CheckAgain)
	}
}

func TestABackendThatCannotTellIsNoAbsenceOfEvidence(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.err = errors.New("the trace has more than 4194304 bytes")
	c := f.carried(t)
	b.claims = []consultation.Claim{claim(c, "approved", spanID)} // what follows may be a rejection
	for _, wait := range []time.Duration{0, time.Minute, 10 * time.Minute} {
		f.Advance(wait)
		d, v := f.decide(t)
		if d.Allowed || v.Verdict != consultation.VerdictUnavailable || d.CheckAgain == 0 || d.CheckAgain > 15*time.Second ||
			!strings.Contains(v.Found, "no answer from the traces") || !strings.HasSuffix(v.Reason, "It is looked for again; if it lasts, an operator finds out why in the log (consultation evidence unavailable) or with quorate doctor serve.") {
			t.Errorf("Check() after %s = %+v, again in %s, want it unavailable and looked for again soon", wait, v, d.CheckAgain)
		}
	}
	f.record(t, claim(c, "approved", spanID)) // what the target sent itself needs no backend
	if d, v := f.decide(t); !d.Allowed {
		t.Errorf("Check() = %s, want it allowed", v.Reason)
	}
}

// TestWhatIsFoundIsJudgedByWhatIsThereWhenItIsWritten has the target send a rejection while a backend is asked.
func TestWhatIsFoundIsJudgedByWhatIsThereWhenItIsWritten(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	c := f.carried(t)
	b.claims = []consultation.Claim{claim(c, "approved", spanID)}
	f.store.before = func() { f.record(t, claim(c, "rejected", spanID)) }
	for range 2 {
		if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictRejected {
			t.Errorf("Check() = %v, %s, want it blocked as rejected", d.Allowed, v.Verdict)
		}
	}
}

// TestABackendThatIsFilledHoldsATaskUntilItsConsultationExpires bounds what whoever may write to a backend can do: after that the next consultation has
// another trace.
func TestABackendThatIsFilledHoldsATaskUntilItsConsultationExpires(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.err = errors.New("the trace has more than 4194304 bytes")
	first := f.carried(t)
	f.Advance(15*time.Minute + time.Second)
	if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictMissing || d.CheckAgain != 0 {
		t.Errorf("Check() = %s, again after %s, want it missing and not looked for any more", v.Verdict, d.CheckAgain)
	}
	b.err = nil
	if second := f.issue(t, current); second.Attempt != 2 || second.TraceID == first.TraceID {
		t.Errorf("Issue() = attempt %d in trace %s, want the second in a trace of its own", second.Attempt, second.TraceID)
	}
}

func TestWhatTwoFindAtATimeIsToldOnce(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	told := 0
	f.OnChange(func(string, string) { told++ })
	f.store.before = func() { f.decide(t) }
	if d, _ := f.decide(t); !d.Allowed || told != 1 {
		t.Errorf("Check() allows = %v, and OnChange was called %d times, want it allowed and told once", d.Allowed, told)
	}
}

// TestALookThatFindsNothingWritesNothing is for a task that waits, for which there is a look every few seconds.
func TestALookThatFindsNothingWritesNothing(t *testing.T) {
	t.Parallel()
	f, _ := newTraced(t, consultation.LevelCarried)
	f.carried(t)
	f.store.writes = errors.New("disk on fire")
	if d, v := f.decide(t); v.Verdict != consultation.VerdictPending || d.CheckAgain == 0 {
		t.Errorf("Check() = %s, again in %s, want it pending and looked for again", v.Verdict, d.CheckAgain)
	}
}

func TestEvidenceThatCannotBeKeptDoesNotCount(t *testing.T) {
	t.Parallel()
	f, b := newTraced(t, consultation.LevelCarried)
	b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
	f.store.writes = errors.New("disk on fire")
	if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictUnavailable {
		t.Errorf("Check() = %v, %s, want it unavailable", d.Allowed, v.Verdict)
	}
}

func TestOfTwoSpansInABackendTheStricterCounts(t *testing.T) {
	t.Parallel()
	for name, ids := range map[string][2]string{"of two ids": {spanID, "00000000000000b2"}, "of one id": {spanID, spanID}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, consultation.LevelCarried)
			c := f.carried(t)
			b.claims = []consultation.Claim{claim(c, "approved", ids[0]), claim(c, "rejected", ids[1])}
			if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictRejected {
				t.Errorf("Check() = %v, %s, want it rejected", d.Allowed, v.Verdict)
			}
		})
	}
}

func TestNoForgeryInABackendOpensAGate(t *testing.T) {
	t.Parallel()
	unreadable := fault.New(fault.InvalidArgument, consultation.ReasonDuplicateKey, "an attribute appears twice")
	for name, test := range map[string]struct {
		forge  func(*consultation.Claim)
		reason string
	}{
		"a span of another task":        {func(c *consultation.Claim) { c.TaskID = "task-2" }, consultation.ReasonOtherTask},
		"a span of another requirement": {func(c *consultation.Claim) { c.RequirementID = "r2" }, consultation.ReasonOtherRequirement},
		"a span of another phase":       {func(c *consultation.Claim) { c.Phase = consultation.PhaseOnError }, consultation.ReasonOtherPhase},
		"a span of another source":      {func(c *consultation.Claim) { c.SourceAgent = "planner" }, consultation.ReasonOtherSource},
		"a span of another attempt":     {func(c *consultation.Claim) { c.Attempt = 2 }, consultation.ReasonOtherAttempt},
		"a replay of an old approval":   {func(c *consultation.Claim) { c.SubjectDigest = older }, consultation.ReasonOtherDigest},
		"a span in another trace":       {func(c *consultation.Claim) { c.TraceID = strings.Repeat("ab", 16) }, consultation.ReasonOtherTrace},
		"another consultation's span":   {func(c *consultation.Claim) { c.ConsultationID = "guess" }, consultation.ReasonUnknownConsultation},
		"the source's own service":      {func(c *consultation.Claim) { c.ServiceName = source }, consultation.ReasonOtherService},
		"another target":                {func(c *consultation.Claim) { c.TargetAgent = "tester" }, consultation.ReasonNotTheTarget},
		"an unknown outcome":            {func(c *consultation.Claim) { c.Outcome = "Approved" }, consultation.ReasonUnknownOutcome},
		"a schema of the future":        {func(c *consultation.Claim) { c.SchemaVersion = 2 }, consultation.ReasonSchema},
		"a span that is unreadable":     {func(c *consultation.Claim) { c.Unreadable = unreadable }, consultation.ReasonDuplicateKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, consultation.LevelCarried)
			c := f.carried(t)
			forged := claim(c, "approved", spanID)
			test.forge(&forged)
			b.claims = []consultation.Claim{forged}
			told := 0
			f.OnChange(func(string, string) { told++ })
			d, v := f.decide(t)
			if d.Allowed || v.Verdict != consultation.VerdictUnauthenticated || !strings.Contains(v.Found, "a span from jaeger ("+test.reason+")") {
				t.Errorf("Check() = %v, %s, found %q, want it unauthenticated because of %s", d.Allowed, v.Verdict, v.Found, test.reason)
			}
			if told != 0 {
				t.Errorf("OnChange was called %d times for what does not count, want 0", told)
			}
			b.claims = append(b.claims, claim(c, "approved", "00000000000000b2"))
			if d, v := f.decide(t); !d.Allowed {
				t.Errorf("Check() with an honest span besides = %s, want it allowed", v.Reason)
			}
		})
	}
}

func TestWithoutBackendsAnAnswerWithoutEvidenceFailsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.carried(t)
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || list[0].State != consultation.StateFailed || !list[0].CarryTime.IsZero() {
		t.Errorf("Consultations() = %+v, %v, want it failed", list, err)
	}
}

func TestTheLogHasABackendThatIsAwayOnceAndItsReturn(t *testing.T) {
	t.Parallel()
	f, b := newFixture(t), &backend{}
	var log bytes.Buffer
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{
		Now: f.Now, Traces: []consultation.Traces{b}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	f.carried(t)
	for _, err := range []error{errors.New("away"), errors.New("away"), errors.New("away"), errors.New("still away"), nil, nil, errors.New("away again")} {
		b.err = err
		f.decide(t)
	}
	lost, back := strings.Count(log.String(), "level=ERROR"), strings.Count(log.String(), "available again")
	if lost != 2 || back != 1 {
		t.Errorf("the log tells %d times that the backend is away and %d times that it is back, want 2 and 1:\n%s", lost, back, log.String())
	}
}
