package consultation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const maxRequests = 16 // kept for each consultation; the oldest are dropped

// Request identifies a call that requests a consultation, so that it can be repeated safely. The zero value identifies none.
type Request struct {
	Caller string `json:"caller"` // request ids of different callers are independent
	ID     string `json:"id"`
	Digest string `json:"digest"` // of what was asked
}

// Asked returns the newest consultation for a request about the task that was accepted at a time, whether it was sent or not. If there is none, ok is
// false. A request id that was used with other content about the task is a Conflict fault with the reason REQUEST_ID_REUSED.
func (l *Ledger) Asked(ctx context.Context, tenant, taskID string, accepted time.Time, r Request) (c Consultation, ok bool, err error) {
	if r.ID == "" {
		return Consultation{}, false, nil
	}
	entries, err := l.store.List(ctx, tenant, taskID)
	if err != nil {
		return Consultation{}, false, fmt.Errorf("listing the consultations of task %s: %w", taskID, err)
	}
	if c, err = r.find(ofTask(entries, accepted)); err != nil {
		return Consultation{}, false, err
	}
	return c.at(l.now()), c.ID != "", nil
}

// find returns the newest consultation for the request, or the zero one.
func (r Request) find(entries []Entry) (Consultation, error) {
	for _, e := range slices.Backward(entries) {
		for _, seen := range e.Consultation.Requests {
			if seen.Caller != r.Caller || seen.ID != r.ID {
				continue
			}
			if seen.Digest != r.Digest {
				return Consultation{}, fault.New(fault.Conflict, "REQUEST_ID_REUSED",
					"the request id %q came before with other content; use a new one", r.ID).With("request_id", r.ID)
			}
			return e.Consultation, nil
		}
	}
	return Consultation{}, nil
}

// remember records that the consultation answers a request.
func (c *Consultation) remember(r Request) {
	if r.ID == "" || slices.Contains(c.Requests, r) {
		return
	}
	c.Requests = append(slices.Clip(c.Requests), r)
	c.Requests = c.Requests[max(0, len(c.Requests)-maxRequests):]
}
