package registry_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// origin is a fake server of one card that knows conditional requests.
type origin struct {
	mu        sync.Mutex
	card      string      // guarded by mu; empty answers 503
	etag      string      // guarded by mu
	cache     string      // Cache-Control; fixed
	age       string      // Age; fixed
	dated     bool        // etag is a Last-Modified; fixed
	full, not int         // guarded by mu; how many answers had a card and how many were 304
	times     []time.Time // guarded by mu
	meanwhile func()      // guarded by mu; happens once while it is asked
}

func (o *origin) set(card, etag string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.card, o.etag = card, etag
}

func (o *origin) counts() (full, not, all int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full, o.not, len(o.times)
}

func (o *origin) during(f func()) (before func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.meanwhile = o.meanwhile, f
	return before
}

func (o *origin) RoundTrip(r *http.Request) (*http.Response, error) {
	if meanwhile := o.during(nil); meanwhile != nil {
		meanwhile()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.times = append(o.times, time.Now())
	answer := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Request: r, Header: http.Header{}, Body: http.NoBody}
	answer.Header.Set("Cache-Control", o.cache)
	answer.Header.Set("Age", o.age)
	validator, known := "ETag", r.Header.Get("If-None-Match")
	if o.dated {
		validator, known = "Last-Modified", r.Header.Get("If-Modified-Since")
	}
	switch {
	case o.card == "":
		answer.StatusCode, answer.Status = http.StatusServiceUnavailable, "503 Service Unavailable"
	case o.etag != "" && known == o.etag:
		o.not++
		answer.StatusCode, answer.Status = http.StatusNotModified, "304 Not Modified"
	default:
		o.full++
		answer.Header.Set(validator, o.etag)
		answer.Body = io.NopCloser(strings.NewReader(o.card))
	}
	return answer, nil
}

// refreshing runs the refresher of a registry with the agent a, whose card o serves, in fake time, while test runs.
func refreshing(t *testing.T, o *origin, test func(t *testing.T, r *registry.Registry)) {
	t.Helper()
	refreshingWith(t, o, registry.Options{}, test)
}

func refreshingWith(t *testing.T, o *origin, options registry.Options, test func(t *testing.T, r *registry.Registry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.Client = &http.Client{Transport: o}
		r := open(t, options)
		if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: cardURI}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.RunRefresher(ctx) }()
		test(t, r)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("RunRefresher() = %v, want nil", err)
		}
	})
}

func TestTheRefresherAsksWithValidatorsAndTakesWhatIsNew(t *testing.T) {
	t.Parallel()
	for name, dated := range map[string]bool{"of an etag": false, "of a time": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asksWithValidators(t, &origin{card: string(named("a", "old")), etag: `"1"`, dated: dated})
		})
	}
}

func asksWithValidators(t *testing.T, o *origin) {
	t.Helper()
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		settle(2 * time.Hour)
		full, not, _ := o.counts()
		if full != 2 || not < 9 || not > 14 { // one at registration, one without validators; then each 10 min or so
			t.Errorf("%d cards and %d 304 in two hours, want 2 and about 11", full, not)
		}
		o.set(string(named("a", "new")), `"2"`)
		settle(15 * time.Minute)
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.LiveVersion != 2 || a.Card.Skills[0].ID != "new" {
			t.Errorf("Agent() = version %d, %v, want the new card as 2", a.LiveVersion, err)
		}
	})
}

func TestTheServerSaysHowLongItsCardCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cache    string
		min, max int // requests in a day
		age      string
	}{
		"an hour":               {"public, max-age=3600", 21, 30, ""},
		"the rest of an hour":   {"public, max-age=3600", 43, 58, "1800"},
		"what is over":          {"max-age=3600", 130, 175, "7200"},
		"longer than a day":     {"max-age=31536000", 2, 3, ""},
		"longer than a century": {"max-age=9999999999", 2, 3, ""},
		"days after days":       {"max-age=31536000", 2, 3, "172800"},
		"a day after a day":     {"max-age=172800", 2, 3, "86400"},
		"not at all":            {"max-age=1, no-store", 130, 175, ""},
		"a second is a minute":  {"max-age=1", 700, 1700, ""},
		"nothing that is known": {"max-age=x, private", 130, 175, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &origin{card: string(named("a")), cache: test.cache, age: test.age}
			refreshing(t, o, func(t *testing.T, _ *registry.Registry) {
				t.Helper()
				settle(24 * time.Hour)
			})
			if _, _, all := o.counts(); all < test.min || all > test.max {
				t.Errorf("%d requests in a day with %q and the age %q, want %d to %d", all, test.cache, test.age, test.min, test.max)
			}
		})
	}
}

func TestTheRefresherWaitsLongerAfterEachFailure(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a"))}
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		o.set("", "")
		settle(30 * time.Hour)
		gaps := o.gaps()
		if len(gaps) < 5 || len(gaps) > 12 {
			t.Fatalf("%d requests in 30 hours of failure, want 6 to 12", len(gaps))
		}
		for i := 2; i < 6; i++ { // the first is from registration, the second still at the usual time
			if ratio := gaps[i].Seconds() / gaps[i-1].Seconds(); ratio < 1.4 || ratio > 2.9 {
				t.Errorf("gap %d is %s after %s, want about twice as long", i, gaps[i], gaps[i-1])
			}
		}
		o.set(string(named("a", "back")), "")
		settle(27 * time.Hour)
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.LiveVersion != 2 {
			t.Errorf("Agent() when its server is back = version %d, %v, want 2", a.LiveVersion, err)
		}
	})
}

func TestAFailureAfterASuccessIsTheFirstOne(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a"))}
	refreshing(t, o, func(t *testing.T, _ *registry.Registry) {
		t.Helper()
		o.set("", "")
		settle(30 * time.Hour)
		o.set(string(named("a")), "")
		settle(27 * time.Hour)
		o.set("", "")
		_, _, before := o.counts()
		settle(40 * time.Minute)
		if _, _, all := o.counts(); all < before+2 {
			t.Errorf("%d requests in 40 minutes of failure after a success, want 2 or more", all-before)
		}
	})
}

// TestValidatorsOfAnEarlierCardAreForgotten has a server go back to the card whose validators are known, after an admin had the next one read.
func TestValidatorsOfAnEarlierCardAreForgotten(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a", "old")), etag: `"1"`}
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		settle(time.Hour)
		o.set(string(named("a", "new")), `"2"`)
		if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", ""); err != nil {
			t.Errorf("Refresh() = %v, want no error", err)
		}
		o.set(string(named("a", "old")), `"1"`)
		settle(15 * time.Minute)
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.LiveVersion != 3 || a.Card.Skills[0].ID != "old" {
			t.Errorf("Agent() = version %d, %v, want the old card as 3", a.LiveVersion, err)
		}
	})
}

func TestTheRefresherReadsCardsWhereTheyAreNowAndLeavesSourcesAlone(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a"))}
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		settle(time.Hour)
		if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "https://elsewhere.example/card", ""); err != nil {
			t.Errorf("Refresh() = %v, want no error", err)
		}
		_, _, before := o.counts()
		settle(time.Hour)
		if _, _, all := o.counts(); all < before+4 {
			t.Errorf("%d requests in an hour after the card has moved, want about 6", all-before)
		}
		if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); err != nil {
			t.Errorf("Delete() = %v, want no error", err)
		}
		found := registry.Found{RawCard: named("a"), CardURI: cardURI, Source: registry.Source{Type: registry.SourceURLs, Location: cardURI}}
		if _, _, err := r.Discover(t.Context(), tenant, found); err != nil {
			t.Errorf("Discover() = %v, want no error", err)
		}
		_, _, before = o.counts()
		settle(3 * time.Hour)
		if _, _, all := o.counts(); all != before {
			t.Errorf("%d requests for an agent that was found in a source, want none", all-before)
		}
	})
}

func (o *origin) gaps() (gaps []time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := 1; i < len(o.times); i++ {
		gaps = append(gaps, o.times[i].Sub(o.times[i-1]))
	}
	return gaps
}

func TestARefusedCardLeavesTheAgentAsItWas(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a", "s")), etag: `"1"`}
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		settle(time.Hour)
		o.set(string(named("b", "s")), `"2"`)
		settle(time.Hour)
		before, _, _ := o.counts()
		settle(3 * time.Hour)
		if after, _, _ := o.counts(); after == before {
			t.Error("a refused card was not looked at again, want it read in full")
		}
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.LiveVersion != 1 {
			t.Errorf("Agent() = version %d, %v, want 1", a.LiveVersion, err)
		}
	})
}

func TestACardThatAnAdminBringsMeanwhileStays(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a", "old"))}
	refreshing(t, o, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		mine := registry.Application{Registration: registry.Registration{RawCard: named("a", "mine")}}
		bring := func() {
			if _, err := r.Apply(t.Context(), tenant, mine); err != nil {
				t.Errorf("Apply() = %v, want no error", err)
			}
		}
		o.set(string(named("a", "new")), "")
		o.during(bring)
		settle(15 * time.Minute)
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.Card.Skills[0].ID != "mine" || a.CardURI != "" {
			t.Errorf("Agent() after a refresh = %v at %q, %v, want the card that was brought", a.Card.Skills, a.CardURI, err)
		}
		if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", cardURI, ""); err != nil {
			t.Errorf("Refresh() = %v, want no error", err)
		}
		o.during(bring)
		if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", ""); fault.ReasonOf(err) != "ETAG_MISMATCH" {
			t.Errorf("Refresh() of an agent that is changed meanwhile = %v, want ETAG_MISMATCH", err)
		}
		if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.Card.Skills[0].ID != "mine" {
			t.Errorf("Agent() after a call = %v, %v, want the card that was brought", a.Card.Skills, err)
		}
	})
}
