package consultation_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// keyring is the key of the reviewer; what is a good signature by it is the registry's to say, and here the plain one.
type keyring struct {
	private ed25519.PrivateKey
	err     error
	asked   int
}

func (k *keyring) sign(cl consultation.Claim) consultation.Claim {
	payload, err := cl.Payload()
	if err != nil {
		panic(err) // of claims that tests make
	}
	cl.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.private, payload))
	return cl
}

func (k *keyring) Verifier(_ context.Context, _, agent string) (consultation.Verifier, error) {
	k.asked++
	return func(payload []byte, signature string) error {
		raw, err := base64.RawURLEncoding.DecodeString(signature)
		public, ok := k.private.Public().(ed25519.PublicKey)
		if err != nil || !ok || agent != target || !ed25519.Verify(public, payload, raw) {
			return errors.New("not the key of " + agent)
		}
		return nil
	}, k.err
}

// newSigned is newTraced with a key of the target.
func newSigned(t *testing.T, lowest string) (*fixture, *backend, *keyring) {
	t.Helper()
	f, b := newFixture(t), &backend{}
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	k := &keyring{private: private}
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now, Lowest: lowest, Traces: []consultation.Traces{b}, Signers: k})
	return f, b, k
}

func TestWhatTheTargetSignedCountsWhereverItIsFound(t *testing.T) {
	t.Parallel()
	for _, lowest := range []string{"", consultation.LevelCarried, consultation.LevelSigned} {
		t.Run("lowest "+lowest, func(t *testing.T) {
			t.Parallel()
			f, b, k := newSigned(t, lowest)
			b.claims = []consultation.Claim{k.sign(claim(f.carried(t), "approved", spanID))}
			d, v := f.decide(t)
			if !d.Allowed || v.Level != "C3" || v.Evidence[0].Recorder != target || v.Evidence[0].Backend != "jaeger" {
				t.Errorf("Check() = %v, %+v, want it approved at level C3 by the target", d.Allowed, v)
			}
		})
	}
}

func TestASignedVerdictCountsBehindOneThatIsNot(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, consultation.LevelSigned)
	c := f.carried(t)
	b.claims = []consultation.Claim{claim(c, "approved", "00000000000000a1"), k.sign(claim(c, "approved", "00000000000000a2"))}
	if d, v := f.decide(t); !d.Allowed || v.Level != "C3" {
		t.Errorf("Check() = %v, %s at level %s, want it approved at level C3", d.Allowed, v.Reason, v.Level)
	}
}

func TestASignedVerdictMayBeFoundBeforeItArrives(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, "")
	signed := k.sign(claim(f.carried(t), "approved", spanID))
	b.claims = []consultation.Claim{signed}
	f.decide(t)
	f.record(t, signed)
}

func TestAnEndlessSignatureIsNotChecked(t *testing.T) {
	t.Parallel()
	f, _, _ := newSigned(t, "")
	cl := claim(f.issue(t, current), "approved", spanID)
	cl.Signature = strings.Repeat("x", 4<<10+1)
	if err := f.Record(t.Context(), reviewer, cl); err == nil || !strings.Contains(err.Error(), "the limit is 4096") {
		t.Errorf("Record() = %v, want the limit", err)
	}
}

func TestASignedVerdictThatTheTargetSendsIsOfLevelC3(t *testing.T) {
	t.Parallel()
	f, _, k := newSigned(t, consultation.LevelSigned)
	c := f.issue(t, current)
	f.record(t, claim(c, "approved", spanID))
	d, v := f.decide(t)
	if d.Allowed || v.Verdict != consultation.VerdictUnauthenticated || !strings.Contains(v.Reason, "Evidence of level C3 is needed: have reviewer sign its verdict") {
		t.Errorf("Check() without a signature = %v, %s, want it blocked for want of one", d.Allowed, v.Reason)
	}
	f.record(t, k.sign(claim(c, "approved", spanID)))
	if d, v := f.decide(t); !d.Allowed || v.Level != "C3" {
		t.Errorf("Check() = %v, %s at level %s, want it approved at level C3", d.Allowed, v.Reason, v.Level)
	}
}

func TestASignatureIsOverEveryWordOfTheOutcome(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, consultation.LevelCarried)
	honest := k.sign(claim(f.carried(t), "rejected", spanID))
	for name, change := range map[string]func(*consultation.Claim){
		"another outcome":       func(c *consultation.Claim) { c.Outcome = "approved" },
		"another feedback":      func(c *consultation.Claim) { c.Outcome, c.Feedback = "approved", "" },
		"a broken signature":    func(c *consultation.Claim) { c.Signature = "e30..AA" },
		"an endless signature":  func(c *consultation.Claim) { c.Signature = strings.Repeat("A", 1<<20) },
		"a signature for other": func(c *consultation.Claim) { *c = k.sign(*c); c.Outcome = "deferred" },
	} {
		forged := honest
		change(&forged)
		b.claims = []consultation.Claim{forged}
		d, v := f.decide(t)
		if d.Allowed || v.Verdict != consultation.VerdictUnauthenticated || !strings.Contains(v.Found, consultation.ReasonSignature) {
			t.Errorf("Check() with %s = %v, found %q, want %s", name, d.Allowed, v.Found, consultation.ReasonSignature)
		}
	}
	b.claims = []consultation.Claim{honest}
	if _, v := f.decide(t); v.Verdict != consultation.VerdictRejected {
		t.Errorf("Check() with what was signed = %s, want rejected", v.Verdict)
	}
}

func TestASignedApprovalCannotBeReplayed(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, consultation.LevelSigned)
	old := k.sign(claim(f.issue(t, older), "approved", spanID))
	c := f.carried(t)
	replay := claim(c, "approved", spanID)
	replay.Signature = old.Signature
	b.claims = []consultation.Claim{old, replay}
	if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictUnauthenticated {
		t.Errorf("Check() = %v, %s, want it blocked as unauthenticated", d.Allowed, v.Verdict)
	}
}

func TestNobodyElseBringsASignedVerdictToTheReceiver(t *testing.T) {
	t.Parallel()
	f, _, k := newSigned(t, consultation.LevelSigned)
	cl := k.sign(claim(f.issue(t, current), "approved", spanID))
	for name, r := range map[string]consultation.Recorder{"the source": {Tenant: tenant, Agent: source}, "no agent": {Tenant: tenant}} {
		if err := f.Record(t.Context(), r, cl); !consultation.IsRefusal(err) {
			t.Errorf("Record() by %s = %v, want a refusal", name, err)
		}
	}
	if k.asked != 0 {
		t.Errorf("the keys were read %d times for senders who do not count, want never", k.asked)
	}
}

// TestASignatureMakesNoSpanReadable has a span of which the receiver could not tell what it says, such as one with two outcomes.
func TestASignatureMakesNoSpanReadable(t *testing.T) {
	t.Parallel()
	f, _, k := newSigned(t, consultation.LevelSigned)
	cl := k.sign(claim(f.issue(t, current), "approved", spanID))
	cl.Unreadable = fault.New(fault.InvalidArgument, consultation.ReasonDuplicateKey, "there are two outcomes")
	if err := f.Record(t.Context(), reviewer, cl); fault.ReasonOf(err) != consultation.ReasonDuplicateKey {
		t.Errorf("Record() = %v, want that it is unreadable", err)
	}
	if d, v := f.decide(t); d.Allowed || len(v.Evidence) > 0 {
		t.Errorf("Check() = %v with evidence %v, want it blocked without any", d.Allowed, v.Evidence)
	}
}

func TestKeysThatCannotBeReadAreNoRefusal(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, consultation.LevelSigned)
	cl := k.sign(claim(f.carried(t), "approved", spanID))
	k.err = errors.New("disk on fire")
	if err := f.Record(t.Context(), reviewer, cl); !errors.Is(err, k.err) || consultation.IsRefusal(err) {
		t.Errorf("Record() = %v, want %v and no refusal", err, k.err)
	}
	b.claims = []consultation.Claim{cl}
	if d, v := f.decide(t); d.Allowed || v.Verdict != consultation.VerdictUnavailable {
		t.Errorf("Check() = %v, %s, want it unavailable", d.Allowed, v.Verdict)
	}
}

func TestTheKeysAreReadOnceForAllSpansOfATrace(t *testing.T) {
	t.Parallel()
	f, b, k := newSigned(t, consultation.LevelSigned)
	cl := k.sign(claim(f.carried(t), "approved", spanID))
	cl.Outcome = "rejected"
	for i := range 200 {
		cl.SpanID = fmt.Sprintf("%016x", i+1)
		b.claims = append(b.claims, cl)
	}
	if f.decide(t); k.asked != 1 {
		t.Errorf("the keys were read %d times, want once", k.asked)
	}
}

func TestWithoutKeysASignatureIsNotLookedAt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cl := claim(f.issue(t, current), "approved", spanID)
	cl.Signature = "anything"
	f.record(t, cl)
	if d, v := f.decide(t); !d.Allowed || v.Level != "C2" {
		t.Errorf("Check() = %v, %s, want it approved at level C2", d.Allowed, v.Level)
	}
}

// Programs in other languages sign this very text.
func TestWhatIsSigned(t *testing.T) {
	t.Parallel()
	cl := consultation.Claim{
		TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", ServiceName: "reviewer", ConsultationID: "c1", TaskID: "t1",
		RequirementID: "a<b&é\u2028", Phase: "pre-completion", SourceAgent: "coder", TargetAgent: "reviewer", Outcome: "approved", Feedback: "fine",
		SubjectDigest: "sha256:00", Attempt: 2, SchemaVersion: 1,
	}
	const want = `{"attempt":2,"consultationId":"c1","feedbackDigest":"sha256:d14a58bae804a2b80b5b76a010239c88ffca1fc7951a90f8e9131beda1e23c1b",` +
		`"outcome":"approved","phase":"pre-completion","requirementId":"a<b&é` + "\u2028" + `","sourceAgent":"coder","subjectDigest":"sha256:00",` +
		`"targetAgent":"reviewer","taskId":"t1","traceId":"0af7651916cd43dd8448eb211c80319c",` +
		`"type":"https://github.com/quorate/quorate/extensions/consultation/v1/outcome"}`
	if got, err := cl.Payload(); err != nil || string(got) != want {
		t.Errorf("Payload() = %s, %v, want %s", got, err, want)
	}
}
