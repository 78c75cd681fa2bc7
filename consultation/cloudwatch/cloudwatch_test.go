package cloudwatch_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/cloudwatch"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/evidencetest"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

func TestEvidenceComesThroughAServerThatAnswersAsCloudWatchIsDocumented(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	evidencetest.Run(t, func(t *testing.T, o consultation.LedgerOptions) evidencetest.Way {
		t.Helper()
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		t.Cleanup(func() { _ = db.Close() })
		o.Traces, o.Lowest = []consultation.Traces{s.traces(t, cloudwatch.Config{})}, consultation.LevelCarried
		return evidencetest.Way{
			Ledger: consultation.NewLedger(embedded.New(db), o), Level: consultation.LevelCarried, Unique: true,
			Export: func(t *testing.T, traces ptrace.Traces) {
				t.Helper()
				s.write(t, traces)
			},
		}
	})
}

var asked = consultation.Consultation{ID: "c1", TraceID: "0af7651916cd43dd8448eb211c80319c", IssueTime: time.Now(), ExpireTime: time.Now().Add(time.Minute)}

func row(message string) string { return `[{"field":"@message","value":"` + message + `"}]` }

func TestOnlyACompleteQuerySaysWhatThereIs(t *testing.T) {
	t.Parallel()
	const one = `{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\",\"name\":\"quorate.consultation.verdict\"}`
	for name, test := range map[string]struct {
		status, results string
		claims          int
		want            string // in the error; empty for none
	}{
		"nothing found":            {"Complete", "[]", 0, ""},
		"a page of more":           {"Complete", "[" + row(one) + `], "nextToken": "n"`, 0, "no whole answer"},
		"one span":                 {"Complete", "[" + row(one) + "]", 1, ""},
		"a query that failed":      {"Failed", "[]", 0, `the query is "Failed"`},
		"a query that was ended":   {"Cancelled", "[" + row(one) + "]", 0, `the query is "Cancelled"`},
		"a query out of time":      {"Timeout", "[" + row(one) + "]", 0, `the query is "Timeout"`},
		"a state of tomorrow":      {"Perhaps", "[]", 0, `the query is "Perhaps"`},
		"more verdicts than taken": {"Complete", "[" + strings.Repeat(row(one)+",", 256) + row(one) + "]", 0, "more than 256 verdicts"},
		"a span that is cut short": {"Complete", "[" + row(one[:40]) + "]", 0, "not one of X-Ray"},
		"two spans in one event":   {"Complete", "[" + row(one+one) + "]", 0, "more than one span"},
		"a row without its span":   {"Complete", `[[{"field":"@ptr","value":"p"}]]`, 0, "not one of X-Ray"},
		"a span without its ids":   {"Complete", "[" + row("{}") + "]", 0, "has the trace id"},
		"a span without its own":   {"Complete", "[" + row(`{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\"}`) + "]", 0, "has the id"},
		"an answer without end":    {"Complete", "[" + row(strings.Repeat("x", 5<<20)) + "]", 0, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.status, s.override, s.running = test.status, test.results, 1
			claims, err := s.traces(t, cloudwatch.Config{Timeout: time.Minute}).Verdicts(t.Context(), asked)
			if len(claims) != test.claims || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Verdicts() = %d claims, %v, want %d and an error with %q", len(claims), err, test.claims, test.want)
			}
		})
	}
}

func TestAQueryGivesItsTurnBackAndAsksTheGroupThatIsNamed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.group = "mine"
	traces := s.traces(t, cloudwatch.Config{Group: "mine", Timeout: 10 * time.Second})
	for i := range 20 { // eight may be under way
		if _, err := traces.Verdicts(t.Context(), asked); err != nil {
			t.Fatalf("Verdicts() number %d = %v, want no error", i+1, err)
		}
	}
}

// TestAnAttributeOfAnotherTypeIsThere has spans whose signature or attempt would seem to be absent, and so not to be wrong.
func TestAnAttributeOfAnotherTypeIsThere(t *testing.T) {
	t.Parallel()
	for _, attribute := range []string{`signature\":5`, `signature\":{}`, `feedback\":1.5`, `attempt\":1.5`, `attempt\":\"1\"`} {
		s := newServer(t)
		s.status = "Complete"
		s.override = "[" + row(`{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\",\"name\":\"quorate.consultation.verdict\",\"attributes\":{\"quorate.consultation.`+attribute+`}}`) + "]"
		claims, err := s.traces(t, cloudwatch.Config{Timeout: time.Minute}).Verdicts(t.Context(), asked)
		if err != nil || len(claims) != 1 || fault.ReasonOf(claims[0].Unreadable) != consultation.ReasonMalformed {
			t.Errorf("Verdicts() of a span with %s = %+v, %v, want one that cannot be read", attribute, claims, err)
		}
	}
}

func TestAQueryThatNobodyWaitsForAnyMoreIsStopped(t *testing.T) {
	t.Parallel()
	for limit := 200 * time.Millisecond; ; limit *= 2 { // a busy machine may take longer to start one, or to end it
		s := newServer(t)
		s.running = 1000
		_, err := s.traces(t, cloudwatch.Config{Timeout: limit}).Verdicts(t.Context(), asked)
		s.mu.Lock()
		stopped := s.stopped
		s.mu.Unlock()
		if err != nil && stopped == 1 {
			return
		}
		if err == nil || stopped > 1 || limit > 10*time.Second {
			t.Fatalf("Verdicts() = %v after %d stops, want an error and one", err, stopped)
		}
	}
}

func TestNothingButATraceIDGoesIntoAQuery(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, id := range []string{"", "0AF7651916CD43DD8448EB211C80319C", `" or name = "x`, strings.Repeat("0", 31) + `"`} {
		c := asked
		c.TraceID = id
		if _, err := s.traces(t, cloudwatch.Config{}).Verdicts(t.Context(), c); err == nil || !strings.Contains(err.Error(), "no trace") {
			t.Errorf("Verdicts() of trace %q = %v, want that there is none", id, err)
		}
	}
	if s.mu.Lock(); len(s.queries) != 0 {
		t.Errorf("%d queries were made, want none", len(s.queries))
	}
	s.mu.Unlock()
}
