package registry_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/embedded"
)

var errFaint = errors.New("the store does not answer")

// faint is a store that answers nothing any more after the first write from when it is weak.
type faint struct {
	*embedded.Store

	weak, gone atomic.Bool
	noKeys     atomic.Bool // it does not answer what keys there are
}

func (f *faint) written(err error) error {
	if err == nil && f.weak.Load() {
		f.gone.Store(true)
	}
	return err
}

func (f *faint) Update(ctx context.Context, key registry.Key, change func(old *registry.Record) (registry.Change, error)) error {
	if f.gone.Load() {
		return errFaint
	}
	return f.written(f.Store.Update(ctx, key, change))
}

func (f *faint) UpdatePulse(ctx context.Context, key registry.Key, change func(old registry.Pulse) (registry.Pulse, error)) error {
	if f.gone.Load() {
		return errFaint
	}
	return f.written(f.Store.UpdatePulse(ctx, key, change))
}

func (f *faint) UpdateMappings(ctx context.Context, tenant string, change func(old []registry.Mapping) (registry.MappingChange, error)) error {
	return f.written(f.Store.UpdateMappings(ctx, tenant, change))
}

func (f *faint) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	if f.gone.Load() {
		return registry.Record{}, errFaint
	}
	return f.Store.Agent(ctx, key)
}

func (f *faint) Pulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	if f.gone.Load() {
		return nil, errFaint
	}
	return f.Store.Pulses(ctx, keys...)
}

func (f *faint) Mappings(ctx context.Context, tenant string) ([]registry.Mapping, error) {
	if f.gone.Load() {
		return nil, errFaint
	}
	return f.Store.Mappings(ctx, tenant)
}

func (f *faint) SigningKeys(ctx context.Context, tenant string) ([]registry.SigningKey, error) {
	if f.gone.Load() || f.noKeys.Load() {
		return nil, errFaint
	}
	return f.Store.SigningKeys(ctx, tenant)
}

// openFaint returns a registry with agent a, which beats, over a store that is not weak yet.
func openFaint(t *testing.T, w *web) (*registry.Registry, *faint) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	f := &faint{Store: store}
	r := registry.New(f, registry.Options{Client: &http.Client{Transport: w}})
	register(t, r, "a")
	beat(t, r, registry.Beat{Agent: "a", Status: "busy"})
	synced(t, r.Directory())
	return r, f
}

// TestAWriteCountsWhateverIsReadAfterwards has the store answer nothing any more once the write is made.
func TestAWriteCountsWhateverIsReadAfterwards(t *testing.T) {
	t.Parallel()
	const uri = "https://a.example/card"
	mapping := registry.Mapping{From: "comment", To: "reference"}
	busy := func(a registry.Agent, err error) error {
		if err == nil && a.Status.Status != registry.StatusBusy {
			return errors.New("the agent is " + a.Status.Status)
		}
		return err
	}
	for name, write := range map[string]func(*registry.Registry) error{
		"metadata": func(r *registry.Registry) error {
			a, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", nil, agentcard.Metadata{AtMostOnceSkills: []string{"*"}})
			return busy(a, err)
		},
		"an agent": func(r *registry.Registry) error {
			done, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{RawCard: named("a", "s")}})
			return busy(done.Agent, err)
		},
		"an agent whose card was read": func(r *registry.Registry) error {
			done, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{CardURI: uri}})
			return busy(done.Agent, err)
		},
		"a card that was read again": func(r *registry.Registry) error {
			a, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", uri, "")
			return busy(a, err)
		},
		"the live version": func(r *registry.Registry) error {
			a, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1)
			return busy(a, err)
		},
		"that an agent is drained": func(r *registry.Registry) error {
			status, err := r.Drain(t.Context(), tenant, "a", "repair", registry.Retry{})
			if err == nil && !status.Draining {
				err = errors.New("the agent is not drained")
			}
			return err
		},
		"a mapping": func(r *registry.Registry) error {
			m, err := r.CreateMapping(t.Context(), tenant, mapping, registry.Retry{})
			if err == nil && m.Etag == "" {
				err = errors.New("the mapping has no etag")
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb()
			w.serve(uri, string(named("a", "s", "t")))
			r, f := openFaint(t, w)
			f.weak.Store(true)
			if err := write(r); err != nil {
				t.Errorf("writing %s = %v, want no error", name, err)
			}
		})
	}
}

// TestACardThatCouldNotBeCheckedAgainIsCheckedBySweeps has a key unpinned after a card was checked and before it is written, and the store answer nothing then.
func TestACardThatCouldNotBeCheckedAgainIsCheckedBySweeps(t *testing.T) {
	t.Parallel()
	mine := newSigner(t, "mine")
	r, f := openFaint(t, newWeb())
	pin(t, r, mine)
	f.weak.Store(true)
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(mine.sign(t, named("b", "s")))}); err != nil {
		t.Errorf("Register() = %v, want no error", err)
	}
	f.weak.Store(false)
	if _, err := f.DeleteSigningKey(t.Context(), tenant, "mine", nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Sweep(t.Context()); !errors.Is(err, errFaint) {
		t.Errorf("Sweep() while the store does not answer = %v, want that", err)
	}
	f.gone.Store(false)
	if err := r.Sweep(t.Context()); err != nil {
		t.Errorf("Sweep() = %v, want no error", err)
	}
	if v := verificationOf(t, r, "b"); registry.SignaturesIfPresent.Trusts(v) {
		t.Errorf("the card signed with the key that is gone is %s", v.State)
	}
}
