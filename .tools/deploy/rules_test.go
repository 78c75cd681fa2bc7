package deploy_test

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// alertTest has series for one hour, with a sample each minute.
type alertTest struct {
	wrong []string
	right string
}

// onOne is about a line that stays on one replica alone, or that does not stay.
func onOne(metric string) alertTest {
	other := metric + `{job="q",instance="b"} 0x60`
	series := metric + `{job="q",instance="a"} `
	return alertTest{[]string{series + "3x60\n" + other}, series + "3x55 0 3x4\n" + other}
}

// TestAlertsFire has Prometheus compute each alert on series as Quorate has them: once when something is wrong, and once when nothing is.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	const internal = `rpc_server_call_duration_seconds_count{job="q",instance="a",rpc_method="m",rpc_response_status_code="INTERNAL"}`
	const foreign = `quorate_otlp_spans_total{job="q",instance="a",decision="refused",reason="EVIDENCE_NOT_THE_TARGET"}`
	const failed, completed = `quorate_tasks_ended_total{job="q",state="TASK_STATE_FAILED"}`, `quorate_tasks_ended_total{job="q",state="TASK_STATE_COMPLETED"}`
	const closed = `quorate_gate_checks_total{job="q",allowed="false"}`
	tests := map[string]alertTest{
		"QuorateTasksWithoutReplica": {
			[]string{`quorate_lease_groups{job="q",instance="a"} 64x60`},
			"quorate_lease_groups{job=\"q\",instance=\"a\"} 64x60\nquorate_lease_groups{job=\"q\",instance=\"b\"} 64x60",
		},
		"QuorateAway": {
			[]string{"up{job=\"q\",instance=\"a\"} 1x30 0x30\nquorate_lease_groups{job=\"q\",instance=\"a\"} 128x30 _x30"},
			"up{job=\"q\",instance=\"a\"} 1x60\nup{job=\"other\",instance=\"b\"} 0x60\nquorate_lease_groups{job=\"q\",instance=\"a\"} 128x60",
		},
		"QuorateStoreErrors": {
			[]string{`db_client_operation_duration_seconds_count{job="q",error_type="ThrottlingException"} 0+60x60`},
			"db_client_operation_duration_seconds_count{job=\"q\"} 0+60x60\n" +
				`db_client_operation_duration_seconds_count{job="q",error_type="ConditionalCheckFailedException"} 0+60x60`,
		},
		"QuorateClockWrong": {
			[]string{`quorate_clock_behind_seconds{job="q",instance="a"} -3600x60`, `quorate_clock_behind_seconds{job="q",instance="a"} 90x60`},
			`quorate_clock_behind_seconds{job="q",instance="a"} 3x60`,
		},
		"QuorateInternalErrors":        {[]string{internal + " _x54 1x5", internal + " 1x54 2x5"}, internal + " 1x60"},
		"QuorateTasksFail":             {[]string{failed + " 0+2x60\n" + completed + " 0+8x60"}, failed + " 0+1x60\n" + completed + " 0+99x60"},
		"QuorateGatesStayClosed":       {[]string{closed + " 0+2x60\n" + completed + " 5x60"}, closed + " 0+2x60\n" + completed + " 0+1x60"},
		"QuorateVerdictInAnothersName": {[]string{foreign + " _x54 1x5", foreign + " 1x54 2x5"}, foreign + " 1x60"},
		"QuorateAgentUsesUpItsShare":   onOne("quorate_tasks_in_line"),
		"QuorateCallsInLine":           onOne("quorate_agent_calls_in_line"),
	}
	for _, rule := range alerts(t) {
		test, ok := tests[rule.Alert]
		if !ok {
			t.Errorf("no test has the alert %s", rule.Alert)
		}
		delete(tests, rule.Alert)
		for _, wrong := range test.wrong {
			if got := evaluate(t, rule.Expr, wrong); got == 0 {
				t.Errorf("%s does not fire on\n%s", rule.Alert, wrong)
			}
		}
		if got := evaluate(t, rule.Expr, test.right); got != 0 {
			t.Errorf("%s fires %d times on\n%s", rule.Alert, got, test.right)
		}
	}
	if len(tests) > 0 {
		t.Errorf("there are no alerts for the tests %v", tests)
	}
}

// An alert that ends while its cause is there says that all is well.
func TestAReplicaThatStaysAwayStaysReported(t *testing.T) {
	t.Parallel()
	const away = "up{job=\"q\",instance=\"a\"} 0x1400\nquorate_lease_groups{job=\"q\",instance=\"a\"} 128 _x1400"
	for _, rule := range alerts(t) {
		if rule.Alert == "QuorateAway" && evaluateAt(t, rule.Expr, away, 23*time.Hour) == 0 {
			t.Errorf("%s does not fire any more on a replica that has been away for 23 hours", rule.Alert)
		}
	}
}

// TestAlertsAreAboutMetricsThatThereAre compares their names with the table for operators, which is tested against what a server exposes.
func TestAlertsAreAboutMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{"up": true} // Prometheus' own
	for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[name[1]] = true
	}
	for _, rule := range alerts(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
		if err != nil {
			t.Fatalf("%s: %v", rule.Alert, err)
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if v, ok := node.(*parser.VectorSelector); ok && !documented[strings.TrimSuffix(v.Name, "_count")] {
				t.Errorf("%s is about %s, which docs/operating.md does not have", rule.Alert, v.Name)
			}
			return nil
		})
	}
}

func alerts(t *testing.T) (list []rulefmt.Rule) {
	t.Helper()
	file, errs := rulefmt.ParseFile(filepath.Join(folder, "prometheus", "rules.yaml"), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatalf("ParseFile() = %v, want no errors", errs)
	}
	for _, group := range file.Groups {
		list = append(list, group.Rules...)
	}
	return list
}

// evaluate returns how many series an expression has after one hour of the series given.
func evaluate(t *testing.T, expr, series string) int {
	t.Helper()
	return evaluateAt(t, expr, series, time.Hour)
}

func evaluateAt(t *testing.T, expr, series string, at time.Duration) int {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n  "+strings.ReplaceAll(series, "\n", "\n  "))
	engine := promqltest.NewTestEngine(t, false, 0, math.MaxInt32)
	query, err := engine.NewInstantQuery(t.Context(), storage, promql.NewPrometheusQueryOpts(false, 0), expr, time.Unix(0, 0).Add(at))
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	defer query.Close()
	vector, err := query.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return len(vector)
}
