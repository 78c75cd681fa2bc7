package extract_test

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkStart is a process that only has this package in it: what importing it costs each program, before it does anything.
func BenchmarkStart(b *testing.B) {
	var cpu time.Duration
	for b.Loop() {
		c := exec.CommandContext(b.Context(), os.Args[0], "-test.run", "^$")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("start: %v\n%s", err, out)
		}
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}
