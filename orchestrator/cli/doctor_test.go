package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// patient answers as a server that is asked by the doctor.
func patient(t *testing.T, readiness, date string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if date != "" {
			w.Header().Set("Date", date)
		}
		switch {
		case r.URL.Path == "/readyz":
			_, _ = io.WriteString(w, readiness)
		case r.Header.Get("Authorization") == "Bearer quorate_test_abc":
			_, _ = io.WriteString(w, `{"name":"ci","tenant":"acme","roles":["dispatcher","viewer"],"credential":"api-key"}`)
		default:
			refuse(http.StatusUnauthorized, 16, "TOKEN_INVALID", "the bearer token is not valid")(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTheDoctorLooksAtAServerAsAClient(t *testing.T) {
	t.Parallel()
	const ready = `{"status":"ready"}`
	good, bad := write(t, "token", "quorate_test_abc\n"), write(t, "token", "quorate_test_xyz\n")
	for name, test := range map[string]struct {
		server, token string
		exit          int
		want          string
	}{
		"all is well":             {patient(t, ready, "").URL, good, 0, "ok    token        it identifies ci of tenant acme with the roles dispatcher, viewer\n"},
		"it is down":              {"http://127.0.0.1:1", good, 1, "fail  server       http://127.0.0.1:1: "},
		"it is another program":   {patient(t, "hello", "").URL, good, 1, "in a form that is not Quorate's\n"},
		"the URL is that of REST": {patient(t, ready, "").URL + "/v1", good, 1, "try: --server without /v1, which each call has itself\n"},
		"no URL":                  {"localhost:8080", good, 1, "the server URL must look like"},
		"it is not ready":         {patient(t, `{"status":"not ready","checks":{"store":"full"}}`, "").URL, good, 1, "fail  readiness    the server is not ready: store: full\n"},
		"its clock is elsewhere":  {patient(t, ready, "Mon, 02 Jan 2006 15:04:05 GMT").URL, good, 1, "ahead of that of the server\n"},
		"the token is unknown":    {patient(t, ready, "").URL, bad, 1, "fail  token        the bearer token is not valid\n"},
		"there is no such token":  {patient(t, ready, "").URL, filepath.Join(t.TempDir(), "none"), 1, "no such file"},
		"no certificate to check": {patient(t, ready, "").URL, good, 0, "skip  certificate  the server has no TLS\n"},
	} {
		exit, stdout, stderr := run(t.Context(), "", "doctor", "--server", test.server, "--token-file", test.token)
		if exit != test.exit || !strings.Contains(stdout, test.want) || strings.Contains(stdout+stderr, "quorate_test_") {
			t.Errorf("Main(doctor) when %s = %d, %q, %q, want %d with %q and no token", name, exit, stdout, stderr, test.exit, test.want)
		}
	}
}

func TestTheDoctorSaysWhatASettingKeepsFromStarting(t *testing.T) {
	t.Parallel()
	file := write(t, "quorate.yaml", "store: {dataDir: /data}\n")
	exit, stdout, _ := run(t.Context(), "", "doctor", "serve", "--config", file)
	if exit != 1 || !strings.HasPrefix(stdout, "fail  configuration  ") || !strings.Contains(stdout, "nobody could call") || !strings.Contains(stdout, "\n                     try: ") {
		t.Errorf("Main(doctor serve) = %d, %q, want 1 with the setting and what to do", exit, stdout)
	}
}

func TestTheDoctorSaysItAsJSON(t *testing.T) {
	t.Parallel()
	keys := write(t, "keys", "")
	file := write(t, "quorate.yaml", "http: {addr: '127.0.0.1:0'}\ngrpc: {addr: '127.0.0.1:0'}\nstore: {dataDir: "+t.TempDir()+"}\nauth: {keysFile: "+keys+"}\n")
	exit, stdout, stderr := run(t.Context(), "", "doctor", "serve", "--config", file, "-o", "json")
	var got struct {
		Checks []struct{ Name, Status, Found, Do string }
		Failed int
	}
	if err := json.Unmarshal([]byte(stdout), &got); exit != 1 || stderr != "" || err != nil || got.Failed != 1 {
		t.Fatalf("Main(doctor serve -o json) = %d, %q, %q, want 1 and one failure", exit, stdout, stderr)
	}
	for _, c := range got.Checks {
		switch {
		case c.Name == "auth.keysFile" && (c.Status != "fail" || !strings.Contains(c.Found, "has no key") || c.Do == ""):
			t.Errorf("%+v, want that the file has no key", c)
		case c.Name != "auth.keysFile" && c.Status == "fail":
			t.Errorf("%+v, want no failure", c)
		}
	}
}

func TestADoctorHasNoOtherPatients(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"doctor", "dev"}, {"doctor", "serve", "--server", "http://127.0.0.1:1"}, {"doctor", "--config", "quorate.yaml"}} {
		if exit, stdout, _ := run(t.Context(), "", args...); exit != 2 || stdout != "" {
			t.Errorf("Main(%q) = %d, %q, want 2", args, exit, stdout)
		}
	}
}
