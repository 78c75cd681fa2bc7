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
