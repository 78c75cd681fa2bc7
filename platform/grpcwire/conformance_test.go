package grpcwire_test

import (
	"encoding/xml"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/proctest"
)

// excused are the tests of h2spec that GET a page of some length, which is not a gRPC call, and one that expects a call to be refused because there are too many,
// although the server may have answered the others by then; TestProtocolViolationsAreReportedAndOtherCallsContinue covers that.
var excused = map[string]bool{
	"Sends HEADERS frames that causes their advertised concurrent stream limit to be exceeded": true,
	"Sends a WINDOW_UPDATE frame on half-closed (remote) stream":                               true,
	"Sends a PRIORITY frame on half-closed (remote) stream":                                    true,
}

// report is h2spec's report in the format of JUnit.
type report struct {
	Suites []struct {
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string  `xml:"classname,attr"`
			Failure *string `xml:"failure"`
			Error   *string `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// TestServerPassesH2spec runs h2spec, the conformance kit for HTTP/2 and HPACK, against a server.
func TestServerPassesH2spec(t *testing.T) {
	t.Parallel()
	binary, err := proctest.Binary("h2spec", "QUORATE_TEST_H2SPEC")
	switch {
	case err != nil && config.Env("QUORATE_CI") == "1":
		t.Fatalf("there is no h2spec, and CI has to test with it: %v", err)
	case err != nil:
		t.Skipf("there is no h2spec: %v", err)
	}
	l := listen(t)
	s := grpcwire.NewServer(grpcwire.Options{
		Logger: slog.New(slog.DiscardHandler), MaxRequest: maxRequest, MaxStreams: 100, Connect: time.Second, PingAfter: time.Minute, PingTimeout: time.Minute,
	})
	go serveAll(s, l)
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.xml")
	out, failed := exec.CommandContext(t.Context(), binary, "-h", host, "-p", port, "-o", "2", "-S", "-j", file).CombinedOutput()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("h2spec = %v, want a report\n%s", failed, out)
	}
	var r report
	if err := xml.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, suite := range r.Suites {
		for _, c := range suite.Cases {
			if ran++; (c.Failure != nil || c.Error != nil) && !excused[c.Name] {
				t.Errorf("%s: %s: failed", suite.Name, c.Name)
			}
		}
	}
	if ran < 140 { //nolint:mnd // about the number of tests that there are
		t.Errorf("h2spec ran %d tests, want all\n%s", ran, out)
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

func serveAll(s *grpcwire.Server, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go s.Serve(conn)
	}
}
