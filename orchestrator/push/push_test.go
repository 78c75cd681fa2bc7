package push_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

func sender(loopback bool) *push.Sender {
	return push.New(&netguard.Policy{AllowLoopback: loopback}, func(t *orchestrator.Task, _ orchestrator.Event) ([]byte, error) {
		return []byte(`{"task":{"id":"` + t.ID + `"}}`), nil
	})
}

var (
	task  = &orchestrator.Task{ID: "t1"}
	event = orchestrator.Event{Sequence: 7}
)

func TestAReceiverHearsWhatA2ASays(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer receiver.Close()
	w := orchestrator.Webhook{URL: receiver.URL + "/hook?x=1", Token: "tok", Scheme: "Bearer", Credentials: "cred"}
	if err := sender(true).Send(t.Context(), w, task, event); err != nil {
		t.Fatalf("Send() = %v", err)
	}
	for header, want := range map[string]string{
		"Content-Type": "application/a2a+json", "Authorization": "Bearer cred", "A2A-Notification-Token": "tok",
		"X-A2A-Notification-Token": "tok", "A2A-Version": "1.0", "Quorate-Event-Id": "t1/7",
	} {
		if got.Header.Get(header) != want {
			t.Errorf("%s = %q, want %q", header, got.Header.Get(header), want)
		}
	}
	if got.Method != http.MethodPost || got.URL.String() != "/hook?x=1" || string(body) != `{"task":{"id":"t1"}}` {
		t.Errorf("%s %s with %s, want POST /hook?x=1 with the task", got.Method, got.URL, body)
	}
}

// TestAReceiverWithoutSecretsHearsNone sends twice: an answer that is read leaves its connection for the next notification.
func TestAReceiverWithoutSecretsHearsNone(t *testing.T) {
	t.Parallel()
	var from []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.RemoteAddr)
		for _, header := range []string{"Authorization", "A2A-Notification-Token", "X-A2A-Notification-Token"} {
			if values := r.Header.Values(header); len(values) > 0 {
				t.Errorf("%s = %q, want no such header", header, values)
			}
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 32<<10))
	}))
	defer receiver.Close()
	s := sender(true)
	for _, scheme := range []string{"", "Bearer"} {
		if err := s.Send(t.Context(), orchestrator.Webhook{URL: receiver.URL, Scheme: scheme}, task, event); err != nil {
			t.Fatalf("Send() = %v", err)
		}
	}
	if from[0] != from[1] {
		t.Errorf("the notifications came from %q, want one connection", from)
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code       int
		header     string
		kind       fault.Kind
		reason     string
		retryAfter time.Duration
	}{
		"an overloaded receiver is told later": {503, "120", fault.Unavailable, "RECEIVER_REFUSED", 2 * time.Minute},
		"a day is too long to wait":            {429, "86400", fault.Unavailable, "RECEIVER_REFUSED", 10 * time.Minute},
		"a date is far off":                    {429, "Fri, 31 Dec 9999 23:59:59 GMT", fault.Unavailable, "RECEIVER_REFUSED", 10 * time.Minute},
		"a refusal may pass":                   {404, "", fault.Unavailable, "RECEIVER_REFUSED", 0},
		"what is gone is gone":                 {410, "", fault.FailedPrecondition, "RECEIVER_GONE", 0},
		"a choice is no agreement":             {300, "", fault.Unavailable, "RECEIVER_REFUSED", 0},
		"nor is another protocol":              {101, "", fault.Unavailable, "RECEIVER_REFUSED", 0},
		"a redirect is not followed":           {307, "", fault.Unavailable, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", test.header)
				w.Header().Set("Location", "http://169.254.169.254/")
				w.WriteHeader(test.code)
			}))
			defer receiver.Close()
			err := sender(true).Send(t.Context(), orchestrator.Webhook{URL: receiver.URL}, task, event)
			f := fault.From(err)
			if f == nil || f.Kind != test.kind || test.reason != "" && f.Reason != test.reason || f.RetryAfter != test.retryAfter {
				t.Errorf("Send() = %+v, want %v %s after %s", f, test.kind, test.reason, test.retryAfter)
			}
		})
	}
}

func TestAGuardedAddressIsNeverReached(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the receiver was reached") }))
	defer receiver.Close()
	err := sender(false).Send(t.Context(), orchestrator.Webhook{URL: receiver.URL}, task, event)
	if fault.ReasonOf(err) != "ADDRESS_BLOCKED" {
		t.Errorf("Send(loopback) = %v, want ADDRESS_BLOCKED, which is final", err)
	}
}

func TestAnEventThatCannotBeRenderedIsNotSent(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the receiver was told of it") }))
	defer receiver.Close()
	broken := errors.New("a text that is not UTF-8")
	s := push.New(&netguard.Policy{AllowLoopback: true}, func(*orchestrator.Task, orchestrator.Event) ([]byte, error) { return nil, broken })
	if err := s.Send(t.Context(), orchestrator.Webhook{URL: receiver.URL}, task, event); !errors.Is(err, broken) || fault.KindOf(err) == fault.Unavailable {
		t.Errorf("Send() = %v, want %v, after which it is not tried again", err, broken)
	}
}

func TestAReceiverThatIsNotThereIsTriedAgain(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/secret-path"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err = sender(true).Send(t.Context(), orchestrator.Webhook{URL: url}, task, event)
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Send(nobody) = %v, want it unavailable", err)
	}
	if !strings.Contains(err.Error(), "connect") || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("Send(nobody) = %v, want why, and nothing of the URL: the log of the task would show it", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sender(true).Send(ctx, orchestrator.Webhook{URL: url}, task, event); !errors.Is(err, context.Canceled) {
		t.Errorf("Send(ended) = %v, want the end of its context", err)
	}
}

func TestWhatNobodyCouldReachIsRefused(t *testing.T) {
	t.Parallel()
	const url = "https://example.com"
	long := strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		webhook orchestrator.Webhook
		reason  string
		field   string
	}{
		"nothing but a URL":            {orchestrator.Webhook{URL: url}, "", ""},
		"an ordinary URL":              {orchestrator.Webhook{URL: url + "/hook", Token: "t", Scheme: "Bearer", Credentials: "c"}, "", ""},
		"all that a header can carry":  {orchestrator.Webhook{URL: url, Token: " ~", Scheme: "Bearer", Credentials: " ~", ID: " ~"}, "", ""},
		"no URL":                       {orchestrator.Webhook{}, "URL_INVALID", "url"},
		"what is no URL":               {orchestrator.Webhook{URL: "https://[::1"}, "URL_INVALID", "url"},
		"a URL without end":            {orchestrator.Webhook{URL: url + "/" + long}, "URL_INVALID", "url"},
		"a file":                       {orchestrator.Webhook{URL: "file:///etc/passwd"}, "URL_INVALID", "url"},
		"a password in the URL":        {orchestrator.Webhook{URL: "https://a:b@example.com/"}, "URL_INVALID", "url"},
		"an address of this host":      {orchestrator.Webhook{URL: "https://127.0.0.1/"}, "ADDRESS_BLOCKED", ""},
		"a header in the token":        {orchestrator.Webhook{URL: url, Token: "x\r\nHost: y"}, "PUSH_CONFIG_INVALID", "token"},
		"a header in the scheme":       {orchestrator.Webhook{URL: url, Scheme: "Bearer\n"}, "PUSH_CONFIG_INVALID", "authentication.scheme"},
		"a header in the credentials":  {orchestrator.Webhook{URL: url, Scheme: "Bearer", Credentials: "x\ny"}, "PUSH_CONFIG_INVALID", "authentication.credentials"},
		"credentials without a scheme": {orchestrator.Webhook{URL: url, Credentials: "c"}, "PUSH_CONFIG_INVALID", "authentication.scheme"},
		"more than a scheme":           {orchestrator.Webhook{URL: url, Scheme: "Bearer x", Credentials: "c"}, "PUSH_CONFIG_INVALID", "authentication.scheme"},
		"a list of schemes":            {orchestrator.Webhook{URL: url, Scheme: "Bearer,Basic", Credentials: "c"}, "PUSH_CONFIG_INVALID", "authentication.scheme"},
		"other letters in the scheme":  {orchestrator.Webhook{URL: url, Scheme: "Bear\u00e9r", Credentials: "c"}, "PUSH_CONFIG_INVALID", "authentication.scheme"},
		"as much as there may be": {
			orchestrator.Webhook{
				URL: url + "/" + long[:2048-1-len(url)], ID: long[:128], Token: orchestrator.Credential(long[:4096]), Scheme: long[:128], Credentials: orchestrator.Credential(long[:4096]),
			}, "", "",
		},
		"other letters in the id": {orchestrator.Webhook{URL: url, ID: "\u00fc"}, "PUSH_CONFIG_INVALID", "id"},
		"a huge token":            {orchestrator.Webhook{URL: url, Token: orchestrator.Credential(long)}, "PUSH_CONFIG_TOO_LARGE", "token"},
		"a huge scheme":           {orchestrator.Webhook{URL: url, Scheme: long}, "PUSH_CONFIG_TOO_LARGE", "authentication.scheme"},
		"huge credentials":        {orchestrator.Webhook{URL: url, Scheme: "Bearer", Credentials: orchestrator.Credential(long)}, "PUSH_CONFIG_TOO_LARGE", "authentication.credentials"},
		"a huge id":               {orchestrator.Webhook{URL: url, ID: long}, "PUSH_CONFIG_TOO_LARGE", "id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := sender(false).Check(test.webhook)
			if fault.ReasonOf(err) != test.reason {
				t.Errorf("Check() = %v, want the reason %q", err, test.reason)
			}
			if f := fault.From(err); test.field != "" && (len(f.Violations) != 1 || f.Violations[0].Field != test.field) {
				t.Errorf("Check() = %+v, want %s to be wrong", f.Violations, test.field)
			}
		})
	}
}

func TestAReceiverThatIsNotThereIsNamedWithoutItsURL(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	host := "localhost:" + strings.TrimPrefix(closed.URL, "http://127.0.0.1:")
	err := sender(true).Send(t.Context(), orchestrator.Webhook{URL: "http://" + host + "/secret"}, task, event)
	if fault.ReasonOf(err) != "RECEIVER_UNREACHABLE" || strings.Count(err.Error(), host) != 1 || strings.Contains(err.Error(), "secret") {
		t.Errorf("Send() = %v, want RECEIVER_UNREACHABLE that names %s once and not the rest of the URL", err, host)
	}
}

// TestAnErrorRepeatsLittleOfAnAnswer has a receiver answer with a line that is not HTTP. The error goes into the log of the task.
func TestAnErrorRepeatsLittleOfAnAnswer(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 4<<10))
		_, _ = io.WriteString(conn, strings.Repeat("\x01", 200<<10)+"\r\n\r\n")
		_ = conn.Close()
	}()
	err = sender(true).Send(t.Context(), orchestrator.Webhook{URL: "http://" + l.Addr().String()}, task, event)
	if fault.ReasonOf(err) != "RECEIVER_UNREACHABLE" || len(err.Error()) > 4<<10 {
		t.Errorf("Send() = %s with %d bytes, want RECEIVER_UNREACHABLE in a few words", fault.ReasonOf(err), len(err.Error()))
	}
}
