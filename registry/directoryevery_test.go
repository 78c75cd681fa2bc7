package registry_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// meter is a store that counts what is read from it.
type meter struct {
	*embedded.Store

	cards, pulses, logs atomic.Int64
}

func (m *meter) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	m.logs.Add(1)
	return m.Store.Changes(ctx, tenant, after, limit)
}

func (m *meter) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	m.cards.Add(1)
	return m.Store.Agent(ctx, key)
}

func (m *meter) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := m.Store.Agents(ctx, q)
	if !q.Bare {
		m.cards.Add(int64(len(list)))
	}
	return list, err
}

func (m *meter) Pulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	m.pulses.Add(int64(len(keys)))
	return m.Store.Pulses(ctx, keys...)
}

// TestWhatRunsAllTheTimeReadsLittle has 20 agents of two tenants probed for ten minutes. The cards of half of them are refreshed.
func TestWhatRunsAllTheTimeReadsLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		store, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		w, m := newWeb(), &meter{Store: store}
		r := registry.New(m, registry.Options{Client: &http.Client{Transport: w}})
		for i := range 20 {
			name, in := "a"+strconv.Itoa(i), registry.Registration{}
			w.serve("https://"+name+".example/.well-known/agent-card.json", string(named(name)))
			if in.CardURI = "https://" + name + ".example"; i%2 == 0 {
				in = registry.Registration{RawCard: named(name)}
			}
			if _, _, err := r.Register(t.Context(), "t"+strconv.Itoa(i/10), in); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		all := []func(context.Context) error{r.RunProber, r.RunRefresher, r.RunSweeper, r.Directory().Run}
		for _, run := range all {
			go func() { ended <- run(ctx) }()
		}
		settle(time.Minute)
		cards, pulses, logs := m.cards.Load(), m.pulses.Load(), m.logs.Load()
		settle(10 * time.Minute)
		if got := m.cards.Load() - cards; got != 0 {
			t.Errorf("%d cards were read from the store in 10 minutes in which none has changed, want none", got)
		}
		if got := m.pulses.Load() - pulses; got > 20*61 { // the directory's reading, each 10 s
			t.Errorf("%d pulses were read, want those of 20 agents each 10 s", got)
		}
		if got := m.logs.Load() - logs; got > 2*4*10*2 { // twice where prober and sweeper look at one moment
			t.Errorf("logs were looked into %d times, want those of two tenants each 15 s", got)
		}
		if before := w.count(); before < 20*4*10 {
			t.Errorf("%d cards were asked for, want those of 20 agents each 15 s", before)
		}
		cancel()
		for range all {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}
