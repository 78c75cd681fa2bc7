package ddb

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
)

const (
	// clockSlack is by how much this machine's clock may differ from DynamoDB's, or from what is known of the difference, before that counts.
	clockSlack = time.Second
	// mediaType is what the media type of DynamoDB's responses begins with. Others are of proxies on the way, with clocks of their own.
	mediaType = "application/x-amz-json"
	// metricClock shows machines whose clocks are wrong: credentials, tokens and certificates are judged by those.
	metricClock = "quorate.clock.behind"
)

// clock follows DynamoDB's clock by the dates of its responses. In between it goes by the monotonic clock: if the machine's clock is set, what is decided and
// written before the next response is not off by that.
type clock struct {
	start time.Time    // by this machine's clock
	ahead atomic.Int64 // by how many nanoseconds DynamoDB's clock is ahead of start and the time since then
}

func newClock() *clock { return &clock{start: time.Now()} }

func (c *clock) now() time.Time { return c.unset(time.Now()).Add(time.Duration(c.ahead.Load())) }

// unset returns what this machine's clock would have shown at a time if nobody had set it since start, without a monotonic reading.
func (c *clock) unset(at time.Time) time.Time { return c.start.Round(0).Add(at.Sub(c.start)) }

// saw corrects the clock if it differs from the date of a response by more than the time under way and the precision of dates, a second, explain.
func (c *clock) saw(response *http.Response, sent time.Time) {
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil || !strings.HasPrefix(response.Header.Get("Content-Type"), mediaType) {
		return
	}
	least, most := date.Sub(c.unset(time.Now())), date.Add(time.Second).Sub(c.unset(sent)) // it was made after sent, before now, and within that second
	possible := func(ahead time.Duration) bool { return least-clockSlack <= ahead && ahead <= most+clockSlack }
	switch known := time.Duration(c.ahead.Load()); {
	case possible(known):
	case possible(0):
		c.ahead.Store(0)
	default:
		c.ahead.Store(int64(least + (most-least)/2))
	}
}

// measure has it measured by how much this machine's clock is wrong.
func (c *clock) measure(m metric.Meter) error {
	behind := func(_ context.Context, o metric.Float64Observer) error {
		o.Observe(c.now().Sub(time.Now().Round(0)).Seconds())
		return nil
	}
	_, err := m.Float64ObservableGauge(metricClock, metric.WithUnit("s"), metric.WithFloat64Callback(behind),
		metric.WithDescription("How far this machine's clock is behind that of DynamoDB, to a second or two; below 0: ahead."))
	if err != nil {
		return fmt.Errorf("metric %s: %w", metricClock, err)
	}
	return nil
}

// Now returns the time by DynamoDB's clock, as far as its responses tell: to a second or two. Replicas that use it agree on which of the times
// in items are over, even if the clock of one of their machines is wrong.
func (c *Client) Now() time.Time { return c.clock.now() }
