package grpcwire_test

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"testing"

	"golang.org/x/net/http2"
)

// counting is a connection that counts the goroutines of the process whenever something is written.
type counting struct {
	net.Conn
	most int
}

func (c *counting) Write(p []byte) (int, error) {
	c.most = max(c.most, runtime.NumGoroutine())
	return c.Conn.Write(p)
}

func TestAFloodOfSettingsIsAnsweredByOneGoroutine(t *testing.T) { //nolint:paralleltest // it counts goroutines
	t.Cleanup(func(n int) func() { return func() { runtime.GOMAXPROCS(n) } }(runtime.GOMAXPROCS(1))) // all settings are read before anything else runs
	s, _ := serve(t, nil)
	ours, theirs := net.Pipe()
	conn, over := &counting{Conn: ours}, make(chan struct{})
	before := runtime.NumGoroutine()
	go func() { defer close(over); s.Serve(conn) }()
	const settings = 3000 // as many as are read at once
	var flood bytes.Buffer
	framer := http2.NewFramer(&flood, theirs)
	for range settings {
		if err := framer.WriteSettings(); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		_, _ = io.WriteString(theirs, http2.ClientPreface)
		_, _ = theirs.Write(flood.Bytes()) // if the server does not read all of it, the acknowledgements are missing
	}()
	for acknowledged := 0; acknowledged < settings; {
		f, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("ReadFrame() = %v after %d acknowledgements, want %d", err, acknowledged, settings)
		}
		if f, ok := f.(*http2.SettingsFrame); ok && f.IsAck() {
			acknowledged++
		}
	}
	_ = theirs.Close()
	<-over
	if more := conn.most - before; more > 20 {
		t.Errorf("%d goroutines answered %d settings, want a few", more, settings)
	}
}

// TestAConnectionKeepsNoBufferForAFloodOfThePast has clients read late what the server has to answer to many settings.
func TestAConnectionKeepsNoBufferForAFloodOfThePast(t *testing.T) { //nolint:paralleltest // it measures memory
	const (
		conns    = 5
		settings = 80_000 // 720 KB
	)
	s, _ := serve(t, nil)
	var flood bytes.Buffer
	framer := http2.NewFramer(&flood, nil)
	for range settings {
		_ = framer.WriteSettings() // to a buffer
	}
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	for range conns {
		ours, theirs := net.Pipe() // which holds nothing for who does not read
		t.Cleanup(func() { _ = theirs.Close() })
		go s.Serve(ours)
		_, _ = io.WriteString(theirs, http2.ClientPreface)
		framer := http2.NewFramer(nil, theirs)
		for n := range 2 + settings { // the server's settings and its window, and nothing else before the flood
			if n == 2 {
				_, _ = theirs.Write(flood.Bytes()) // if the server does not read all of it, the acknowledgements are missing
			}
			if _, err := framer.ReadFrame(); err != nil {
				t.Fatalf("ReadFrame() = %v, want all acknowledgements", err)
			}
		}
	}
	if each := (int64(used()) - int64(before)) / conns; each > 400<<10 {
		t.Errorf("an idle connection takes %d KiB, want no more than its buffers for reading and writing", each>>10)
	}
}
