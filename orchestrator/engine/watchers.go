package engine

import (
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// watchers are channels by task. Each holds a token when there may be news since the last token was taken. The zero value has none.
type watchers struct {
	mu    sync.Mutex
	tasks map[orchestrator.Key]map[chan struct{}]struct{} // guarded by mu
}

// subscribe adds a channel, which is to be removed with the function returned.
func (w *watchers) subscribe(k orchestrator.Key) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == nil {
		w.tasks = make(map[orchestrator.Key]map[chan struct{}]struct{})
	}
	if w.tasks[k] == nil {
		w.tasks[k] = make(map[chan struct{}]struct{})
	}
	w.tasks[k][ch] = struct{}{}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.tasks[k], ch)
		if len(w.tasks[k]) == 0 {
			delete(w.tasks, k)
		}
	}
}

// notify tells those who watch a task that there may be news.
func (w *watchers) notify(k orchestrator.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.tasks[k] {
		putToken(ch)
	}
}
