package doctor_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/doctor"
)

func TestChecksRunTogetherAndEachForALimitedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) doctor.Finding {
			<-ctx.Done()
			return doctor.Failed(ctx.Err(), "")
		}
		begin := time.Now()
		results := doctor.Run(t.Context(), []doctor.Check{
			{Name: "one", Run: hang}, {Name: "two", Run: hang}, {Name: "three", Run: func(context.Context) doctor.Finding { return doctor.Found("well") }},
		})
		if took := time.Since(begin); took != doctor.Limit {
			t.Errorf("Run() takes %s, want %s", took, doctor.Limit)
		}
		want := []doctor.Result{
			{Name: "one", Finding: doctor.Finding{Status: doctor.Fail, Found: "no answer within 10s: context deadline exceeded"}},
			{Name: "two", Finding: doctor.Finding{Status: doctor.Fail, Found: "no answer within 10s: context deadline exceeded"}},
			{Name: "three", Finding: doctor.Found("well")},
		}
		if !slices.Equal(results, want) {
			t.Errorf("Run() = %+v, want %+v", results, want)
		}
	})
}

func TestClocksAreCompared(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for ahead, want := range map[time.Duration]doctor.Status{
		0: doctor.OK, 4 * time.Second: doctor.OK, -6 * time.Second: doctor.Warn, time.Minute: doctor.Warn, time.Hour: doctor.Fail, -time.Hour: doctor.Fail,
	} {
		f := doctor.CheckClock(now, now.Add(ahead), "another")
		if f.Status != want || (f.Do == "") != (want == doctor.OK) || ahead == -time.Hour && !strings.Contains(f.Found, "1h0m0s behind") {
			t.Errorf("CheckClock(%s ahead) = %+v, want %s", ahead, f, want)
		}
	}
}

func TestCertificatesEnd(t *testing.T) {
	t.Parallel()
	now, day := time.Now(), 24*time.Hour
	for name, test := range map[string]struct {
		from, until time.Duration
		want        doctor.Status
	}{
		"valid": {-day, 15 * day, doctor.OK}, "soon over": {-77 * day, 13 * day, doctor.Warn}, "over": {-2 * day, -day, doctor.Fail}, "not begun": {day, 99 * day, doctor.Fail},
		"of a few days": {-3 * day, 3 * day, doctor.OK}, "of a few days, soon over": {-5 * day, day, doctor.Warn}, "of an hour": {-time.Minute, time.Hour, doctor.OK},
	} {
		c := &x509.Certificate{NotBefore: now.Add(test.from), NotAfter: now.Add(test.until)}
		if f := doctor.CheckCertificate(c, now); f.Status != test.want || (f.Do == "") != (test.want == doctor.OK) {
			t.Errorf("CheckCertificate(%s) = %+v, want %s", name, f, test.want)
		}
	}
}

func TestACertificateIsOneForServers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, test := range map[string]struct {
		uses []x509.ExtKeyUsage
		want doctor.Status
	}{
		"any use": {nil, doctor.OK}, "said so": {[]x509.ExtKeyUsage{x509.ExtKeyUsageAny}, doctor.OK}, "clients": {[]x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, doctor.Fail},
		"clients and servers": {[]x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, doctor.OK},
	} {
		c := &x509.Certificate{NotBefore: now.Add(-time.Hour), NotAfter: now.Add(99 * 24 * time.Hour), ExtKeyUsage: test.uses}
		if f := doctor.CheckCertificate(c, now); f.Status != test.want || (f.Do == "") != (test.want == doctor.OK) {
			t.Errorf("CheckCertificate(for %s) = %+v, want %s", name, f, test.want)
		}
	}
	c := &x509.Certificate{NotBefore: now.Add(-time.Hour), NotAfter: now.Add(99 * 24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if f := doctor.CheckClientCertificate(c, now); f.Status != doctor.Fail || !strings.Contains(f.Found, "not one for clients") || !strings.Contains(f.Do, "clientAuth") {
		t.Errorf("CheckClientCertificate(for servers) = %+v, want fail", f)
	}
}

func TestOnlyAQuorateIsTakenForOne(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"status":"ready","checks":{"store":"ok"}}`:                            "the server is ready",
		`{"status":"not ready","checks":{"store":"the disk is full","a":"ok"}}`: "the server is not ready: store: the disk is full",
		`{"status":"stopping"}`:                                                 "the server is stopping",
		`{}`:                                                                    "it answered 200 OK in a form that is not Quorate's",
		`hello`:                                                                 "it answered 200 OK in a form that is not Quorate's",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		t.Cleanup(server.Close)
		h, err := doctor.Ask(t.Context(), http.DefaultTransport, server.URL, "")
		if err == nil {
			err = errors.New(h.Ready().Found)
		}
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Ask() of one that answers %s: %q, want %q", body, err, want)
		}
	}
}

func TestAServerIsAskedUnderItsNameForAllThatIsWrong(t *testing.T) {
	t.Parallel()
	at, asked := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Host
		w.Header().Set("Date", at.Format(http.TimeFormat))
		_, _ = w.Write([]byte(`{"status": "not ready", "checks": {"tasks": "b", "registry": "a", "leases": "ok"}}`))
	}))
	defer server.Close()
	h, err := doctor.Ask(t.Context(), http.DefaultTransport, server.URL, "quorate.example")
	if err != nil || asked != "quorate.example" || !h.Date.Equal(at) {
		t.Fatalf("Ask() = %+v, %v of the host %q, want the date of the answer of quorate.example", h, err, asked)
	}
	if f := h.Ready(); f.Status != doctor.Fail || f.Found != "the server is not ready: registry: a; tasks: b" {
		t.Errorf("Ready() = %+v, want all that is wrong, in order", f)
	}
}
