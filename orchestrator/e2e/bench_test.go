package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/orchestrator/benchtest"
)

// cpu is the CPU time of the process so far.
func (i *instance) cpu() time.Duration {
	i.t.Helper()
	return cpuOf(i.t, i.cmd.Process.Pid)
}

// cpuOf is the CPU time of a process so far, of which the kernel keeps count in hundredths of a second.
func cpuOf(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Skip("the CPU of another process is only measured on Linux")
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	var sum time.Duration
	for _, at := range []int{user, system} {
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			tb.Fatal(err)
		}
		sum += time.Duration(n) * tick
	}
	return sum
}

func dial(tb testing.TB, addr string) a2apb.A2AServiceClient {
	tb.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := conn.Close(); err != nil {
			tb.Error(err)
		}
	})
	return a2apb.NewA2AServiceClient(conn)
}

// call makes one request.
type call func() error

func sendGRPC(tb testing.TB, addr, tenant, token, text string) call {
	tb.Helper()
	stub := dial(tb, addr)
	ctx := metadata.AppendToOutgoingContext(context.WithoutCancel(tb.Context()), "authorization", "Bearer "+token, "a2a-version", "1.0")
	req := &a2apb.SendMessageRequest{Tenant: tenant, Message: &a2apb.Message{
		MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}},
	}}
	return func() error {
		resp, err := stub.SendMessage(ctx, req)
		if err == nil && resp.GetMessage().GetMessageId() != "answer" && resp.GetTask().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_COMPLETED {
			return fmt.Errorf("the answer is %v", resp)
		}
		return err
	}
}

func sendJSONRPC(tb testing.TB, url, token, text string) call {
	tb.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	tb.Cleanup(client.CloseIdleConnections)
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}}}`
	return func() error {
		req, err := http.NewRequestWithContext(context.WithoutCancel(tb.Context()), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("A2A-Version", "1.0")
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err == nil && !bytes.Contains(answer, []byte(`"answer"`)) && !bytes.Contains(answer, []byte(`"TASK_STATE_COMPLETED"`)) {
			return fmt.Errorf("the answer is %s", answer)
		}
		return err
	}
}

// BenchmarkTracked measures tracked tasks, from an A2A message to the end of the task, durable at every step, with 64 callers. For comparison it measures durable
// puts and records of one kilobyte into the same kind of store in the same run.
func BenchmarkTracked(b *testing.B) {
	words := strings.Repeat("hello ", 1000/6)
	b.Run("gRPC", func(b *testing.B) {
		benchmarkTracked(b, func(i *instance) call { return sendGRPC(b, i.ports.GRPC, "plain", i.token(), words) })
	})
	b.Run("JSONRPC", func(b *testing.B) {
		benchmarkTracked(b, func(i *instance) call { return sendJSONRPC(b, i.ports.HTTP+"/agents/plain", i.token(), words) })
	})
}

func benchmarkTracked(b *testing.B, sender func(*instance) call) {
	b.Helper()
	const callers = 64
	dir := b.TempDir()
	i := start(b, dir, "--log-level", "error")
	serveAgent(b, i, "agent", "plain", false)
	send := sender(i)
	const warmUp = 200
	benchtest.Share(b, callers, warmUp, send)
	const some = 10_000
	put, record := benchtest.Puts(b), benchtest.Records(b)
	rawPuts, records := benchtest.Share(b, callers, some, put), benchtest.Share(b, callers, some, record)
	before := i.cpu()
	b.ResetTimer()
	benchtest.Share(b, callers, b.N, send)
	b.StopTimer()
	rate := float64(b.N) / b.Elapsed().Seconds()
	rawPuts += benchtest.Share(b, callers, some, put)
	records += benchtest.Share(b, callers, some, record)
	b.ReportMetric(rate, "tasks/s")
	b.ReportMetric(2*some/rawPuts.Seconds(), "raw-puts/s")
	b.ReportMetric(rate*rawPuts.Seconds()/(2*some), "tasks/raw-put")
	b.ReportMetric(rate*records.Seconds()/(2*some), "tasks/record")
	b.ReportMetric(float64((i.cpu()-before).Microseconds())/float64(b.N), "server-cpu-µs/op")
	i.kill()
	allocated, used := kept(b, filepath.Join(dir, "data", "quorate.db"))
	b.ReportMetric(float64(allocated)/float64(b.N+warmUp), "bytes/op")
	b.ReportMetric(float64(used)/float64(b.N+warmUp), "used-bytes/op")
}

// kept returns the size of the pages in which a store keeps its tasks, in bytes, and how many of these are used.
func kept(b *testing.B, file string) (allocated, used int) {
	b.Helper()
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}()
	if err := db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			if bytes.HasPrefix(name, []byte("task")) {
				s := bucket.Stats()
				allocated, used = allocated+s.BranchAlloc+s.LeafAlloc, used+s.BranchInuse+s.LeafInuse
			}
			return nil
		})
	}); err != nil {
		b.Fatal(err)
	}
	return allocated, used
}

// BenchmarkStreams keeps a thousand streams of tracked tasks open, each with an event every 100 ms, and reports the CPU for an event of a stream.
func BenchmarkStreams(b *testing.B) {
	const streams = 1000
	i := start(b, b.TempDir(), "--log-level", "error")
	serveAgent(b, i, "agent", "streamer", true)
	stubs := make([]a2apb.A2AServiceClient, 8)
	for n := range stubs {
		stubs[n] = dial(b, i.ports.GRPC)
	}
	ctx := metadata.AppendToOutgoingContext(context.WithoutCancel(b.Context()), "authorization", "Bearer "+i.token(), "a2a-version", "1.0")
	var events, opened atomic.Int64
	var next atomic.Int64
	run := func() error {
		n := next.Add(1)
		s, err := stubs[n%int64(len(stubs))].SendStreamingMessage(ctx, &a2apb.SendMessageRequest{Tenant: "streamer", Message: &a2apb.Message{
			MessageId: strconv.FormatInt(n, 10), Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "stream"}}},
		}})
		if err != nil {
			return err
		}
		opened.Add(1)
		for {
			if _, err := s.Recv(); err != nil {
				if err == io.EOF { //nolint:errorlint // as gRPC gives it
					return nil
				}
				return err
			}
			events.Add(1)
		}
	}
	before := i.cpu()
	b.ResetTimer()
	for range b.N {
		benchtest.Share(b, streams, streams, run)
	}
	b.StopTimer()
	if n := events.Load(); n > 0 {
		b.ReportMetric(float64((i.cpu()-before).Microseconds())/float64(n), "server-cpu-µs/event")
		b.ReportMetric(float64(n)/float64(opened.Load()), "events/stream")
	}
}
