package agentclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

func TestTheContextEndsAnExchange(t *testing.T) {
	t.Parallel()
	for answered, part := range map[string]string{"before the answer": "", "amid headers": "HTTP/1.1 200 OK\r\nX:", "amid the body": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"} {
		t.Run(answered, func(t *testing.T) {
			t.Parallel()
			came, left := make(chan struct{}, 1000), make(chan error, 1000) // no connection waits for the test
			p := passageOf(t, new(dials).dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
				take(in)
				_, _ = io.WriteString(conn, part)
				came <- struct{}{}
				_, err := in.ReadByte()
				left <- err
			}))
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-came; cancel() }()
			if _, err := post(ctx, p, "{}"); !errors.Is(err, context.Canceled) {
				t.Errorf("Post() of a caller that left = %v, want %v", err, context.Canceled)
			}
			for late := true; late; { // a busy machine may take longer than that to connect
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				if _, err := post(ctx, p, "{}"); fault.ReasonOf(err) != agentclient.ReasonTimeout {
					t.Fatalf("Post() = %v, want %s", err, agentclient.ReasonTimeout)
				}
				cancel()
				select {
				case <-came:
					late = false
				default:
				}
			}
			for range 2 {
				if err := <-left; err == nil {
					t.Error("the connection was used again")
				}
			}
		})
	}
}

func TestAConnectionWhoseCallerLeftIsNotKept(t *testing.T) {
	t.Parallel()
	var d dials
	p := passageOf(t, d.dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
		take(in)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		_ = take(in)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := p.Post(ctx, []byte("{}"), "application/json")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, _ = p.ReadAnswer(t.Context(), resp) // it may have come whole before
	_ = resp.Body.Close()
	if d.all()[0].SetDeadline(time.Time{}) == nil {
		t.Error("the connection is still open")
	}
}

func TestABodyThatIsNotReadEndsItsConnection(t *testing.T) {
	t.Parallel()
	left := make(chan error, 1)
	p := passageOf(t, new(dials).dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
		take(in)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n")
		_, err := in.ReadByte()
		left <- err
	}))
	resp, err := p.Post(t.Context(), []byte("{}"), "text/event-stream")
	if err != nil || !agentclient.IsEventStream(resp) {
		t.Fatalf("Post() = %v, %v, want a stream", resp, err)
	}
	if event, err := bufio.NewReader(resp.Body).ReadString('\n'); event != "data: {}\n" {
		t.Errorf("Read() = %q, %v, want the event as soon as it is there", event, err)
	}
	_ = resp.Body.Close()
	if err := <-left; err == nil {
		t.Error("the connection is still open")
	}
}

func TestAConnectionInUseEndsWithThePool(t *testing.T) {
	t.Parallel()
	url := serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
		take(in)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		_ = take(in)
	})
	var d dials
	p := agentclient.NewPool(d.dial, &http.Client{Transport: otherwise}, nil)
	way := p.PassageOverJSONRPC("a", cardOf(url))
	resp, err := way.Post(t.Context(), []byte("{}"), "application/json")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if got, err := way.ReadAnswer(t.Context(), resp); string(got) != "{}" || err != nil {
		t.Errorf("ReadAnswer() of a closed pool = %q, %v, want {}", got, err)
	}
	if d.all()[0].SetDeadline(time.Time{}) == nil {
		t.Error("the connection is still open")
	}
	_ = resp.Body.Close()
}

// piped are agents at the other end of pipes, which know no time but that of the test. They answer when all requests are there.
type piped struct {
	requests       sync.WaitGroup
	opened, closed atomic.Int32
}

func (a *piped) dial(_ context.Context, _, addr string) (net.Conn, error) {
	if _, port, err := net.SplitHostPort(addr); err != nil || port != "80" {
		return nil, fmt.Errorf("dialled %s, %w", addr, err)
	}
	near, far := net.Pipe()
	a.opened.Add(1)
	go func() {
		defer func() { _ = far.Close(); a.closed.Add(1) }()
		for in := bufio.NewReader(far); take(in); {
			a.requests.Done()
			a.requests.Wait()
			if _, err := io.WriteString(far, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
				return
			}
		}
	}()
	return near, nil
}

func TestIdleConnectionsAreBoundedAndDropped(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		hosts, each int
		kept        int32
	}{
		"few":                {2, 3, 6},
		"too many for one":   {1, 70, 64},
		"too many in all":    {6, 50, 256},
		"too many, both":     {5, 70, 256},
		"as many as allowed": {4, 64, 256},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for end, after := range map[string]func(*agentclient.Pool){
				"closing the pool":  (*agentclient.Pool).Close,
				"a minute and half": func(*agentclient.Pool) { time.Sleep(90 * time.Second) }, //nolint:forbidigo // the time of synctest
			} {
				synctest.Test(t, func(t *testing.T) {
					var a piped
					p := agentclient.NewPool(a.dial, &http.Client{Transport: otherwise}, nil)
					a.requests.Add(tt.hosts * tt.each)
					var running sync.WaitGroup
					for n := range tt.hosts * tt.each {
						running.Go(func() {
							way := p.PassageOverJSONRPC("a", cardOf(fmt.Sprintf("http://agent-%d", n%tt.hosts)))
							if got, err := post(t.Context(), way, "{}"); got != "{}" || err != nil {
								t.Errorf("Post() = %q, %v, want {}", got, err)
							}
						})
					}
					running.Wait()
					synctest.Wait()
					if got := a.opened.Load() - a.closed.Load(); got != tt.kept {
						t.Errorf("%d connections wait, want %d", got, tt.kept)
					}
					after(p)
					synctest.Wait()
					if got := a.opened.Load() - a.closed.Load(); got != 0 {
						t.Errorf("%d connections wait after %s, want none", got, end)
					}
				})
			}
		})
	}
}

func TestEachIdleConnectionIsDroppedInItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a piped
		p := agentclient.NewPool(a.dial, &http.Client{Transport: otherwise}, nil)
		for _, url := range []string{"http://first", "http://second"} {
			a.requests.Add(1)
			if _, err := post(t.Context(), p.PassageOverJSONRPC("a", cardOf(url)), "{}"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) //nolint:forbidigo // the time of synctest
		}
		for _, want := range []int32{1, 0} {
			synctest.Wait()
			if got := a.opened.Load() - a.closed.Load(); got != want {
				t.Errorf("%d connections wait, want %d", got, want)
			}
			time.Sleep(time.Minute) //nolint:forbidigo // as above
		}
	})
}
