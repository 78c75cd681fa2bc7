package consultation_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

func TestIssueMintsWhatNobodyCanGuess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	for what, test := range map[string]struct{ got, form string }{
		"id":       {c.ID, `^[a-z2-7]{26}$`},
		"trace id": {c.TraceID, `^[0-9a-f]{32}$`},
		"span id":  {c.SpanID, `^[0-9a-f]{16}$`},
	} {
		if !regexp.MustCompile(test.form).MatchString(test.got) {
			t.Errorf("Issue() has the %s %q, want %s", what, test.got, test.form)
		}
	}
	if c.State != consultation.StateOpen || c.Attempt != 1 || c.ExpireTime.Sub(c.IssueTime) != 15*time.Minute || !c.Mandatory {
		t.Errorf("Issue() = %+v, want an open first attempt of 15 minutes", c)
	}
}

func TestIssueAsksOnceWhileTheQuestionIsOpen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.issue(t, current)
	if again := f.issue(t, current); again.ID != first.ID {
		t.Errorf("Issue() again = %s, want the open %s", again.ID, first.ID)
	}
	other := f.issue(t, older)
	if other.Attempt != 2 {
		t.Errorf("Issue() about other content = attempt %d, want 2", other.Attempt)
	}
	if back := f.issue(t, current); back.Attempt != 3 {
		t.Errorf("Issue() when the newest asks something else = attempt %d, want 3", back.Attempt)
	}
	f.Advance(16 * time.Minute)
	if late := f.issue(t, current); late.Attempt != 4 {
		t.Errorf("Issue() after the expiry = attempt %d, want 4", late.Attempt)
	}
	q := question(current)
	for i, change := range []func(){
		func() { q.Requirement.TargetAgent = "tester" },
		func() { q.Requirement.Phase = consultation.PhaseDesignReview },
		func() { q.SourceAgent = "planner" },
		func() { q.Requirement.Mandatory = false },
	} {
		change()
		c, err := f.Issue(t.Context(), q)
		if got := (consultation.Requirement{ID: "r", TargetAgent: c.TargetAgent, Phase: c.Phase, Mandatory: c.Mandatory}); err != nil || c.Attempt != 5+i ||
			got != q.Requirement || c.SourceAgent != q.SourceAgent {
			t.Errorf("Issue() = %+v, %v, want attempt %d at %+v", c, err, 5+i, q)
		}
	}
	q.Requirement.ID = "r2"
	if c, err := f.Issue(t.Context(), q); err != nil || c.Attempt != 1 {
		t.Errorf("Issue() of another requirement = attempt %d, %v, want 1", c.Attempt, err)
	}
}

func TestARequestForAConsultationIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ask := func(digest, caller, id, content string) (consultation.Consultation, error) {
		q := question(digest)
		q.Request = consultation.Request{Caller: caller, ID: id, Digest: content}
		return f.Issue(t.Context(), q)
	}
	asked := func(caller, id, content string) string {
		t.Helper()
		c, ok, err := f.Asked(t.Context(), tenant, task, time.Time{}, consultation.Request{Caller: caller, ID: id, Digest: content})
		if ok != (c.ID != "") {
			t.Errorf("Asked() = %+v, %v, want a consultation if and only if there is one", c, ok)
		}
		if err != nil || !ok {
			return fault.ReasonOf(err)
		}
		return c.ID
	}
	first, err := ask(current, "ci", "1", "x")
	if err != nil || asked("ci", "1", "x") != first.ID {
		t.Fatalf("Issue() = %v, and Asked() = %q, want %s", err, asked("ci", "1", "x"), first.ID)
	}
	if joined, err := ask(current, "ana", "2", "y"); err != nil || joined.ID != first.ID {
		t.Fatalf("Issue() of the same question = %s, %v, want %s", joined.ID, err, first.ID)
	}
	if err := f.SetCarrier(t.Context(), tenant, task, first.ID, "carrier"); err != nil {
		t.Fatalf("SetCarrier() = %v, want no error", err)
	}
	f.record(t, claim(first, "approved", "00000000000000a1"))
	for name, test := range map[string]struct{ caller, id, content, want string }{
		"the first request":        {"ci", "1", "x", first.ID},
		"one that found it open":   {"ana", "2", "y", first.ID},
		"other content":            {"ci", "1", "y", "REQUEST_ID_REUSED"},
		"another caller's":         {"ana", "1", "x", ""},
		"an id that was not there": {"ci", "3", "x", ""},
		"no id":                    {"ci", "", "x", ""},
	} {
		if got := asked(test.caller, test.id, test.content); got != test.want {
			t.Errorf("Asked() of %s = %q, want %q", name, got, test.want)
		}
	}
	if c, err := ask(older, "ci", "1", "y"); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Issue() under a used id = %v, %v, want REQUEST_ID_REUSED", c, err)
	}
	f.store.reads = errors.New("disk on fire")
	if got, ok, err := f.Asked(t.Context(), tenant, task, time.Time{}, consultation.Request{Caller: "ci", ID: "1", Digest: "x"}); !errors.Is(err, f.store.reads) {
		t.Errorf("Asked() of a store that is down = %v, %v, %v, want its error, not that nobody asked", got, ok, err)
	}
}

// TestALateCopyOfARequestAsksNothingAnew has a copy of a request come when its consultation is open but not the newest of the requirement any more.
func TestALateCopyOfARequestAsksNothingAnew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ask := func(digest, id string) consultation.Consultation {
		t.Helper()
		q := question(digest)
		q.Request = consultation.Request{Caller: "coder", ID: id, Digest: digest}
		c, err := f.Issue(t.Context(), q)
		if err != nil {
			t.Fatalf("Issue() = %v, want no error", err)
		}
		return c
	}
	first, second := ask(older, "1"), ask(current, "2")
	if again := ask(older, "1"); again.ID != first.ID {
		t.Errorf("Issue() of the first request again = attempt %d, want %d", again.Attempt, first.Attempt)
	}
	if again := ask(current, "2"); again.ID != second.ID {
		t.Errorf("Issue() of the second request again = attempt %d, want %d", again.Attempt, second.Attempt)
	}
	f.Advance(16 * time.Minute)
	if again := ask(older, "1"); again.Attempt != 3 {
		t.Errorf("Issue() of the first request again = attempt %d, want a third one once that is over", again.Attempt)
	}
}

// TestARequestThatWasNotSentAsksAboutWhatIsThereNow has a copy of a request come when its consultation is open, and the content has changed since.
func TestARequestThatWasNotSentAsksAboutWhatIsThereNow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, digest := range []string{older, current} {
		q := question(digest)
		q.Request = consultation.Request{Caller: "coder", ID: "1", Digest: "x"}
		if c, err := f.Issue(t.Context(), q); err != nil || c.SubjectDigest != digest || c.Attempt != i+1 {
			t.Errorf("Issue() = attempt %d about %s, %v, want %d about %s", c.Attempt, c.SubjectDigest, err, i+1, digest)
		}
	}
}

// TestARequestThatWasSentAsksNothingAnew has a copy of a request come when something has come of its consultation.
func TestARequestThatWasSentAsksNothingAnew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		happens func(*testing.T, *fixture, consultation.Consultation)
		attempt int
	}{
		"it was answered": {func(t *testing.T, f *fixture, c consultation.Consultation) {
			t.Helper()
			f.record(t, claim(c, "rejected", spanID))
		}, 1},
		"it was carried in vain": {func(t *testing.T, f *fixture, c consultation.Consultation) {
			t.Helper()
			if err := errors.Join(f.SetCarrier(t.Context(), tenant, task, c.ID, "child"), f.Carried(t.Context(), tenant, task, c.ID)); err != nil {
				t.Error(err)
			}
		}, 1},
		"it could not be sent": {func(t *testing.T, f *fixture, c consultation.Consultation) {
			t.Helper()
			if err := f.Fail(t.Context(), tenant, task, c.ID, "it could not be sent"); err != nil {
				t.Error(err)
			}
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			q := question(current)
			q.Request = consultation.Request{Caller: "coder", ID: "1", Digest: "x"}
			c, err := f.Issue(t.Context(), q)
			if err != nil {
				t.Fatalf("Issue() = %v, want no error", err)
			}
			test.happens(t, f, c)
			if again, err := f.Issue(t.Context(), q); err != nil || again.Attempt != test.attempt || again.Unanswered() != (test.attempt > 1) {
				t.Errorf("Issue() of a copy = attempt %d, %s, %v, want %d", again.Attempt, again.State, err, test.attempt)
			}
		})
	}
}

func TestAConsultationKeepsAFewOfTheRequestsForIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 40 { // each of them comes twice
		q := question(current)
		q.Request = consultation.Request{Caller: "ci", ID: strconv.Itoa(i / 2), Digest: "x"}
		if _, err := f.Issue(t.Context(), q); err != nil {
			t.Fatalf("Issue() = %v, want no error", err)
		}
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || len(list) != 1 || len(list[0].Requests) != 16 || list[0].Requests[0].ID != "4" || list[0].Requests[15].ID != "19" {
		t.Errorf("Consultations() = %+v, %v, want one with the last 16 requests", list, err)
	}
}

func TestIssueRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*consultation.Question)
		reason string
	}{
		"a target that is the source": {func(q *consultation.Question) { q.Requirement.TargetAgent = source }, "SELF_REVIEW"},
		"an unknown phase":            {func(q *consultation.Question) { q.Requirement.Phase = "later" }, "QUESTION_INVALID"},
		"no digest":                   {func(q *consultation.Question) { q.SubjectDigest = "" }, "QUESTION_INVALID"},
		"a digest of another kind":    {func(q *consultation.Question) { q.SubjectDigest = "md5:00" }, "QUESTION_INVALID"},
		"no task":                     {func(q *consultation.Question) { q.TaskID = "" }, "QUESTION_INVALID"},
		"no tenant":                   {func(q *consultation.Question) { q.Tenant = "" }, "QUESTION_INVALID"},
		"no agent":                    {func(q *consultation.Question) { q.SourceAgent = "" }, "QUESTION_INVALID"},
		"no target":                   {func(q *consultation.Question) { q.Requirement.TargetAgent = "" }, "QUESTION_INVALID"},
		"no requirement":              {func(q *consultation.Question) { q.Requirement.ID = "" }, "QUESTION_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := question(current)
			test.change(&q)
			if c, err := newFixture(t).Issue(t.Context(), q); fault.ReasonOf(err) != test.reason {
				t.Errorf("Issue() = %v, %v, want %s", c, err, test.reason)
			}
		})
	}
}

func TestATaskHasAtMostAHundredConsultations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range consultation.MaxPerTask {
		f.issue(t, []string{current, older}[i%2])
	}
	_, err := f.Issue(t.Context(), question(current))
	if fault.KindOf(err) != fault.ResourceExhausted || fault.ReasonOf(err) != "CONSULTATION_LIMIT" {
		t.Errorf("Issue() the 101st = %v, want CONSULTATION_LIMIT", err)
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || len(list) != consultation.MaxPerTask || list[0].Attempt != 1 || list[99].Attempt != 100 {
		t.Errorf("Consultations() = %d, %v, want 100, oldest first", len(list), err)
	}
}

func TestAConsultationThatCannotBeCarriedFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var changes []string
	f.OnChange(func(tenant, taskID string) { changes = append(changes, tenant+"/"+taskID) })
	c := f.issue(t, current)
	if err := f.SetCarrier(t.Context(), tenant, task, c.ID, "child"); err != nil {
		t.Fatalf("SetCarrier() = %v, want no error", err)
	}
	for range 2 {
		if err := f.Fail(t.Context(), tenant, task, c.ID, "the reviewer is unavailable"); err != nil {
			t.Fatalf("Fail() = %v, want no error", err)
		}
	}
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || list[0].State != consultation.StateFailed || list[0].CarrierTaskID != "child" || list[0].Feedback != "the reviewer is unavailable" {
		t.Errorf("Consultations() = %+v, %v, want a failed one with its carrier and reason", list, err)
	}
	allowed, v := f.check(t)
	if allowed || v.Verdict != consultation.VerdictMissing || !strings.Contains(v.Found, "the reviewer is unavailable") {
		t.Errorf("Check() = %v, %s, found %q, want it missing with the reason", allowed, v.Verdict, v.Found)
	}
	if got := fmt.Sprint(changes); got != "[default/task-1]" {
		t.Errorf("OnChange saw %s, want one change of default/task-1", got)
	}
	f.record(t, claim(c, consultation.OutcomeApproved, spanID)) // only the carrying failed
	if allowed, v := f.check(t); !allowed {
		t.Errorf("Check() after the evidence came = %s, want it allowed", v.Reason)
	}
	if err := f.Fail(t.Context(), tenant, task, c.ID, "too late"); err != nil {
		t.Errorf("Fail() of an answered one = %v, want no error", err)
	}
	if allowed, v := f.check(t); !allowed {
		t.Errorf("Check() after a late failure = %s, want it still allowed", v.Reason)
	}
}

func TestOfTheConsultationsForARequestTheNewestIsShownAsItIsNow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := question(current)
	q.Request = consultation.Request{Caller: "coder", ID: "1", Digest: "x"}
	var newest consultation.Consultation
	for range 2 {
		var err error
		if newest, err = f.Issue(t.Context(), q); err != nil {
			t.Fatalf("Issue() = %v, want no error", err)
		}
		if newest.Attempt == 1 {
			err = f.Fail(t.Context(), tenant, task, newest.ID, "it could not be sent")
		}
		if err != nil {
			t.Fatalf("Fail() = %v, want no error", err)
		}
	}
	for _, state := range []string{consultation.StateOpen, consultation.StateExpired} {
		c, ok, err := f.Asked(t.Context(), tenant, task, time.Time{}, q.Request)
		if err != nil || !ok || c.ID != newest.ID || c.Attempt != 2 || c.State != state {
			t.Errorf("Asked() = %+v, %v, %v, want attempt 2 as %s", c, ok, err, state)
		}
		f.Advance(16 * time.Minute)
	}
}

func TestAConsultationThatIsHeldDirectlySaysSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	if err := f.SetDirect(t.Context(), tenant, task, c.ID); err != nil {
		t.Fatalf("SetDirect() = %v, want no error", err)
	}
	if list, err := f.Consultations(t.Context(), tenant, task, time.Time{}); err != nil || !list[0].Direct || list[0].State != consultation.StateOpen {
		t.Errorf("Consultations() = %+v, %v, want an open one that is direct", list, err)
	}
}

func TestAConsultationIsFoundOnlyUnderItsTask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.issue(t, current)
	for _, where := range []struct{ tenant, task, id string }{{tenant, "task-2", c.ID}, {"other", task, c.ID}, {tenant, task, "guess"}} {
		if err := f.SetCarrier(t.Context(), where.tenant, where.task, where.id, "child"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
			t.Errorf("SetCarrier(%v) = %v, want CONSULTATION_NOT_FOUND", where, err)
		}
		if err := f.SetDirect(t.Context(), where.tenant, where.task, where.id); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
			t.Errorf("SetDirect(%v) = %v, want CONSULTATION_NOT_FOUND", where, err)
		}
		if err := f.Fail(t.Context(), where.tenant, where.task, where.id, "x"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
			t.Errorf("Fail(%v) = %v, want CONSULTATION_NOT_FOUND", where, err)
		}
	}
}

func TestAnOpenConsultationExpiresWhenItIsRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.issue(t, current)
	f.Advance(15 * time.Minute)
	if _, v := f.check(t); v.Verdict != consultation.VerdictPending {
		t.Errorf("Check() at the expiry = %s, want pending", v.Verdict)
	}
	f.Advance(time.Nanosecond)
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || list[0].State != consultation.StateExpired {
		t.Errorf("Consultations() = %v, %v, want an expired one", list, err)
	}
}

func TestAConsultationIsOpenAsLongAsTheLedgerSays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, TTL: time.Hour})
	if c := f.issue(t, current); c.ExpireTime != f.Now().Add(time.Hour) {
		t.Errorf("Issue() = open until %s, want an hour from %s", c.ExpireTime, f.Now())
	}
}

func TestAnAnsweredConsultationDoesNotExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.record(t, claim(f.issue(t, current), consultation.OutcomeApproved, spanID))
	f.Advance(16 * time.Minute)
	list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
	if err != nil || list[0].State != consultation.StateAnswered {
		t.Errorf("Consultations() = %v, %v, want an answered one", list, err)
	}
}

func TestWhatTheStoreCannotDoIsAnErrorAndNoChange(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for name, do := range map[string]func(context.Context, *consultation.Ledger, string) error{
		"list": func(ctx context.Context, l *consultation.Ledger, _ string) error {
			_, err := l.Consultations(ctx, tenant, task, time.Time{})
			return err
		},
		"ask": func(ctx context.Context, l *consultation.Ledger, id string) error {
			return l.Asks(ctx, tenant, task, id, "why?")
		},
		"bring an answer back": func(ctx context.Context, l *consultation.Ledger, id string) error {
			return l.Carried(ctx, tenant, task, id)
		},
	} {
		for _, traces := range [][]consultation.Traces{nil, {&backend{}}} {
			f := newFixture(t)
			f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, Traces: traces})
			c := f.issue(t, current)
			f.OnChange(func(string, string) { t.Errorf("OnChange was called although the store could not %s", name) })
			f.store.reads, f.store.after = broken, broken
			if err := do(t.Context(), f.Ledger, c.ID); !errors.Is(err, broken) {
				t.Errorf("%s with %d backends = %v, want %v", name, len(traces), err, broken)
			}
		}
	}
}

func TestCheckFailsClosedWhenTheStoreIsDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.record(t, claim(f.issue(t, current), consultation.OutcomeApproved, spanID))
	f.store.reads = errors.New("disk on fire")
	s := subject()
	recommended := requirement
	recommended.ID, recommended.Mandatory = "r2", false
	s.Requirements = append(s.Requirements, recommended)
	d, err := f.Check(t.Context(), s)
	if err != nil || d.Allowed {
		t.Fatalf("Check() = %v, %v, want it blocked without an error", d, err)
	}
	for _, v := range d.Requirements {
		if v.Verdict != consultation.VerdictUnavailable || v.Code != "CONSULTATION_UNAVAILABLE" || v.Found != "no answer from the evidence store" {
			t.Errorf("Check() of %s = %s %s, found %q, want unavailable", v.Requirement.ID, v.Verdict, v.Code, v.Found)
		}
		if strings.Contains(v.Reason, "fire") {
			t.Errorf("Check() of %s says %q, want nothing of the cause", v.Requirement.ID, v.Reason)
		}
	}
	s.Requirements = []consultation.Requirement{recommended}
	if d, err := f.Check(t.Context(), s); err != nil || !d.Allowed {
		t.Errorf("Check() of a recommended requirement = %v, %v, want it allowed", d, err)
	}
	s.Requirements = nil
	before := f.store.lists.Load()
	if d, err := f.Check(t.Context(), s); err != nil || !d.Allowed || f.store.lists.Load() != before {
		t.Errorf("Check() without requirements = %v, %v, want it allowed without a look into the store", d, err)
	}
}

func TestCheckNeedsToKnowTheTask(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]consultation.Subject{
		"no tenant": {TaskID: task, SourceAgent: source},
		"no task":   {Tenant: tenant, SourceAgent: source},
		"no agent":  {Tenant: tenant, TaskID: task},
	} {
		if d, err := newFixture(t).Check(t.Context(), s); fault.ReasonOf(err) != "SUBJECT_INVALID" || d.Allowed {
			t.Errorf("Check() with %s = %v, %v, want SUBJECT_INVALID", name, d, err)
		}
	}
}
