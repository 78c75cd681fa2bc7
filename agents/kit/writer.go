package kit

import (
	"context"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// How long text waits in an ArtifactWriter for more of it. The pause doubles with every pauseDoubles updates, so that those that a task may have suffice
// for a model that talks for half an hour.
const (
	firstPause   = 100 * time.Millisecond
	pauseDoubles = 100
)

// ArtifactWriter delivers an artifact of which the text comes bit by bit, such as that of a model. Callers that stream see what is written a moment later. Its
// methods may be called by several goroutines.
type ArtifactWriter struct {
	ctx  context.Context //nolint:containedctx // of the task: what is written is delivered later
	task *Task

	mu      sync.Mutex
	made    Artifact       // guarded by mu; with the parts that are delivered
	id      a2a.ArtifactID // never changed
	pending []byte         // guarded by mu
	timer   *time.Timer    // guarded by mu; nil while nothing is pending
	err     error          // guarded by mu; of a delivery
	closed  bool           // guarded by mu
}

// ArtifactWriter begins an artifact with the name, media type and metadata of about. Nothing is delivered before something is written. What is not closed
// when the handler returns, the kit closes.
func (t *Task) ArtifactWriter(ctx context.Context, about Artifact) *ArtifactWriter {
	w := &ArtifactWriter{ctx: ctx, task: t, id: a2a.NewArtifactID(), made: Artifact{Name: about.Name, MediaType: about.MediaType, Metadata: about.Metadata}}
	t.writers.add(w)
	return w
}

// Write adds text, of which a character may come in two pieces. It returns the fault of an earlier delivery, one of those that Task describes, or after Close a
// FailedPrecondition fault with the reason ARTIFACT_CLOSED.
func (w *ArtifactWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, fault.New(fault.FailedPrecondition, "ARTIFACT_CLOSED", "artifact %q is closed, so that nothing can be added to it", w.made.Name)
	}
	if w.err != nil {
		return 0, w.err
	}
	w.pending = append(w.pending, text...)
	switch {
	case len(w.pending) >= chunkBytes:
		w.deliver(false)
	case w.timer == nil:
		w.timer = time.AfterFunc(firstPause<<(len(w.made.Parts)/pauseDoubles), w.flush)
	}
	return len(text), w.err
}

// Close delivers the rest, and tells callers that it was the last. It returns the fault of a delivery, once: what is closed already stays as it is.
func (w *ArtifactWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if w.closed = true; w.err == nil {
		w.deliver(true)
	}
	return w.err
}

// flush delivers what has waited long enough.
func (w *ArtifactWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && w.err == nil {
		w.deliver(false)
	}
}

// deliver delivers what is pending; if it is not the last, a character of which the rest has not come stays. The caller holds mu.
func (w *ArtifactWriter) deliver(last bool) {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	whole := len(w.pending)
	if !last {
		whole -= unfinished(w.pending)
	}
	if whole == 0 && !last {
		return
	}
	if w.err = context.Cause(w.ctx); w.err != nil {
		return
	}
	chunk := Artifact{Name: w.made.Name, MediaType: w.made.MediaType, Text: string(w.pending[:whole])}
	if len(w.made.Parts) == 0 {
		chunk.Metadata = w.made.Metadata
	}
	sent := chunk.a2a()
	sent.ID = w.id
	if w.err = w.task.job.AddChunk(sent, last); w.err == nil {
		w.pending = append(w.pending[:0], w.pending[whole:]...)
		w.made.Parts = append(w.made.Parts, sent.Parts...)
	}
}

// unfinished returns how many bytes at the end of text may be the beginning of a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if begin := text[len(text)-n:]; utf8.RuneStart(begin[0]) {
			if utf8.FullRune(begin) {
				return 0
			}
			return n
		}
	}
	return 0
}

// writers are those of a task that may be open.
type writers struct {
	mu   sync.Mutex
	list []*ArtifactWriter // guarded by mu
}

func (l *writers) add(w *ArtifactWriter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, w)
}

// flush delivers what is pending.
func (l *writers) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.list {
		w.flush()
	}
}

// close closes those that the handler did not close, and returns their faults.
func (l *writers) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, w := range l.list {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// Artifact returns what is delivered, for Consult.
func (w *ArtifactWriter) Artifact() Artifact {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made
}
