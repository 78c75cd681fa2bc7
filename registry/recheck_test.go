package registry_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// between is a store in which something happens at the worst of times.
type between struct {
	*embedded.Store

	unpinned func() // after a key is gone; nil as the others for nothing
	listed   func() // after agents were read
	written  func() // before an agent is written
}

func (s *between) DeleteSigningKey(ctx context.Context, tenant, id string, remember *registry.Request) (bool, error) {
	ok, err := s.Store.DeleteSigningKey(ctx, tenant, id, remember)
	if s.unpinned != nil {
		s.unpinned()
	}
	return ok, err
}

func (s *between) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := s.Store.Agents(ctx, q)
	if then := s.listed; then != nil {
		s.listed = nil
		then()
	}
	return list, err
}

func (s *between) Update(ctx context.Context, key registry.Key, change func(old *registry.Record) (registry.Change, error)) error {
	if then := s.written; then != nil {
		s.written = nil
		then()
	}
	return s.Store.Update(ctx, key, change)
}

// newBetween returns a registry with agent a, whose card is signed with a pinned key.
func newBetween(t *testing.T, s signer) (*registry.Registry, *between) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "registry.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("boltdb.Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatalf("embedded.New() = %v, want no error", err)
	}
	b := &between{Store: store}
	r := registry.New(b, registry.Options{})
	pin(t, r, s)
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(s.sign(t, named("a", "s")))}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	return r, b
}

func TestAKeyIsRevokedAlsoWhenWhoUnpinnedItHasGone(t *testing.T) {
	t.Parallel()
	mine := newSigner(t, "mine")
	r, b := newBetween(t, mine)
	ctx, leave := context.WithCancel(t.Context())
	b.unpinned = leave
	if err := r.Once(registry.Retry{}).DeleteSigningKey(ctx, tenant, "mine"); err != nil {
		t.Errorf("DeleteSigningKey() = %v, want no error", err)
	}
	if v := verificationOf(t, r, "a"); registry.SignaturesIfPresent.Trusts(v) {
		t.Errorf("the card signed with the key that is gone is still %s", v.State)
	}
}

// TestAKeyIsRevokedAlsoForACardThatIsChangedMeanwhile has a card written between the look at it and the note of what it has come to: its writer may have
// checked it before the key was gone.
func TestAKeyIsRevokedAlsoForACardThatIsChangedMeanwhile(t *testing.T) {
	t.Parallel()
	mine := newSigner(t, "mine")
	r, b := newBetween(t, mine)
	b.unpinned = func() {
		b.listed = func() {
			err := b.Store.Update(t.Context(), registry.Key{Tenant: tenant, Name: "a"}, func(old *registry.Record) (registry.Change, error) {
				next := *old
				next.Etag += "1"
				return registry.Change{Record: &next}, nil
			})
			if err != nil {
				t.Errorf("Update() = %v, want no error", err)
			}
		}
	}
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "mine"); err != nil {
		t.Errorf("DeleteSigningKey() = %v, want no error", err)
	}
	if v := verificationOf(t, r, "a"); registry.SignaturesIfPresent.Trusts(v) {
		t.Errorf("the card signed with the key that is gone is still %s", v.State)
	}
}

// TestACheckSaysNothingAboutTheNextCard has an agent get an unsigned card, or be deleted, while the card is checked that it had when its key was pinned.
func TestACheckSaysNothingAboutTheNextCard(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"another card": false, "no agent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, b := newBetween(t, newSigner(t, "mine"))
			other := newSigner(t, "other")
			if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(other.sign(t, named("b", "s")))}); err != nil {
				t.Fatalf("Register() = %v, want no error", err)
			}
			b.listed = func() {
				err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "b", "")
				if err == nil && !deleted {
					_, _, err = r.Register(t.Context(), tenant, registry.Registration{RawCard: named("b", "evil")})
				}
				if err != nil {
					t.Errorf("writing %s = %v, want no error", name, err)
				}
			}
			pin(t, r, other)
			if a, err := r.Agent(t.Context(), tenant, "b"); (err != nil) != deleted || a.Verification.State == registry.VerificationVerified || a.Verification.Required {
				t.Errorf("Agent() = %+v, %v, want that nobody has signed its card, and nobody has to", a.Verification, err)
			}
		})
	}
}

// TestACardIsNotTakenWithAKeyThatIsUnpinnedMeanwhile has the key go, and all cards checked again, after a card was checked and before it is written.
func TestACardIsNotTakenWithAKeyThatIsUnpinnedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*registry.Registry, []byte) error{
		"a new agent": func(r *registry.Registry, card []byte) error {
			_, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: card})
			return err
		},
		"another card": func(r *registry.Registry, card []byte) error {
			_, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{RawCard: card}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := newSigner(t, "mine")
			r, b := newBetween(t, mine)
			agent := map[string]string{"a new agent": "b", "another card": "a"}[name]
			b.written = func() {
				if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "mine"); err != nil {
					t.Errorf("DeleteSigningKey() = %v, want no error", err)
				}
			}
			if err := write(r, []byte(mine.sign(t, named(agent, "s", "u")))); err != nil {
				t.Errorf("writing %s = %v, want no error", name, err)
			}
			if v := verificationOf(t, r, agent); registry.SignaturesIfPresent.Trusts(v) {
				t.Errorf("the card signed with the key that is gone is %s", v.State)
			}
		})
	}
}

// TestACardThatWasTakenUncheckedIsCheckedWhenItComesAgain has an operator turn the check of signatures on.
func TestACardThatWasTakenUncheckedIsCheckedWhenItComesAgain(t *testing.T) {
	t.Parallel()
	mine := newSigner(t, "mine")
	_, b := newBetween(t, mine)
	card := []byte(mine.sign(t, named("b", "s")))
	apply := registry.Application{Registration: registry.Registration{RawCard: card}}
	for _, policy := range []registry.SignaturePolicy{registry.SignaturesOff, registry.SignaturesRequired} {
		r := registry.New(b, registry.Options{Signatures: policy})
		got, err := r.Apply(t.Context(), tenant, apply)
		if v := verificationOf(t, r, "b"); err != nil || !policy.Trusts(v) || got.Agent.Verification != v {
			t.Errorf("Apply() under %s = %+v, %v, and the card is %+v, want it trusted", policy, got.Agent.Verification, err, v)
		}
	}
}

func TestWithSignaturesOffAnAgentNeedsNoneAnyMore(t *testing.T) {
	t.Parallel()
	_, b := newBetween(t, newSigner(t, "mine"))
	off := registry.New(b, registry.Options{Signatures: registry.SignaturesOff})
	if _, err := off.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{RawCard: named("a", "t")}}); err != nil {
		t.Errorf("Apply() of an unsigned card = %v, want no error", err)
	}
}

// TestAKeyThatACrashLeftUncheckedIsPinnedByTheSameCall has a process die between the note of a key and the check of the cards that it signs.
func TestAKeyThatACrashLeftUncheckedIsPinnedByTheSameCall(t *testing.T) {
	t.Parallel()
	r, b := newBetween(t, newSigner(t, "mine"))
	other := newSigner(t, "other")
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(other.sign(t, named("b", "s")))}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	if err := b.PutSigningKey(t.Context(), registry.SigningKey{Tenant: tenant, ID: "other", JWK: other.jwk(t)}, nil); err != nil {
		t.Fatal(err)
	}
	if v := verificationOf(t, r, "b"); v.State == registry.VerificationVerified {
		t.Errorf("before the call the card is %s, want it unchecked", v.State)
	}
	if _, err := r.Once(registry.Retry{}).PinSigningKey(t.Context(), tenant, other.jwk(t), nil); fault.ReasonOf(err) != "KEY_EXISTS" {
		t.Errorf("PinSigningKey() = %v, want KEY_EXISTS", err)
	}
	if v := verificationOf(t, r, "b"); v.State != registry.VerificationVerified {
		t.Errorf("after the call the card is %s (%s), want it verified", v.State, v.Reason)
	}
}

// TestAKeyThatACrashLeftInCardsIsUnpinnedByTheSameCall has a process die between the removal of a key and the check of the cards that it has signed.
func TestAKeyThatACrashLeftInCardsIsUnpinnedByTheSameCall(t *testing.T) {
	t.Parallel()
	r, b := newBetween(t, newSigner(t, "mine"))
	if _, err := b.Store.DeleteSigningKey(t.Context(), tenant, "mine", nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "mine"); fault.ReasonOf(err) != "KEY_NOT_FOUND" {
		t.Errorf("DeleteSigningKey() = %v, want KEY_NOT_FOUND", err)
	}
	if v := verificationOf(t, r, "a"); registry.SignaturesIfPresent.Trusts(v) {
		t.Errorf("the card signed with the key that is gone is still %s", v.State)
	}
}

// TestCardsThatWereTakenUncheckedAreCheckedOnceSignaturesCount has an operator turn the check of signatures on.
func TestCardsThatWereTakenUncheckedAreCheckedOnceSignaturesCount(t *testing.T) {
	t.Parallel()
	mine := newSigner(t, "mine")
	_, b := newBetween(t, mine)
	off := registry.New(b, registry.Options{Signatures: registry.SignaturesOff})
	forged := strings.Replace(mine.sign(t, named("forged", "s")), `"s"`, `"other"`, 1)
	for _, card := range []string{mine.sign(t, named("signed", "s")), forged, string(named("plain", "s"))} {
		if _, _, err := off.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(card)}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
	}
	r := registry.New(b, registry.Options{})
	want := map[string]string{"signed": registry.VerificationVerified, "forged": registry.VerificationInvalid, "plain": registry.VerificationUnsigned}
	for name := range want {
		if v := verificationOf(t, r, name); registry.SignaturesIfPresent.Trusts(v) {
			t.Errorf("the card of %s is %s and trusted, want it to wait until it is checked", name, v.State)
		}
	}
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatalf("Sweep() = %v, want no error", err)
	}
	for name, state := range want {
		if v := verificationOf(t, r, name); v.State != state || registry.SignaturesIfPresent.Trusts(v) != (name != "forged") {
			t.Errorf("the card of %s is %s (%s), want %s", name, v.State, v.Reason, state)
		}
	}
}

// TestTheSweeperAlsoChecksCardsThatAreTakenLater has a replica without the check of signatures take a card while another one with it is running.
func TestTheSweeperAlsoChecksCardsThatAreTakenLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mine := newSigner(t, "mine")
		_, b := newBetween(t, mine)
		r := registry.New(b, registry.Options{})
		background(t, r.RunSweeper)
		settle(time.Second)
		off := registry.New(b, registry.Options{Signatures: registry.SignaturesOff})
		for _, name := range []string{"one", "two"} {
			if _, _, err := off.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(mine.sign(t, named(name, "s")))}); err != nil {
				t.Fatalf("Register(%s) = %v, want no error", name, err)
			}
			settle(2 * time.Minute)
			if v := verificationOf(t, r, name); v.State != registry.VerificationVerified {
				t.Errorf("the card of %s is %s after two minutes, want it verified", name, v.State)
			}
		}
	})
}
