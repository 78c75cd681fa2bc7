package extract_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestABusyMachineCutsNothingShort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the CPU time of a thread is told on Linux only")
	}
	var stopped atomic.Bool
	var others sync.WaitGroup
	defer others.Wait()
	defer stopped.Store(true)
	for range 16 * runtime.GOMAXPROCS(0) {
		others.Go(func() {
			for !stopped.Load() {
			}
		})
	}
	var lines strings.Builder
	lines.WriteString("BT /F1 10 Tf 0.3 TL 72 720 Td ")
	for i := range 2000 {
		fmt.Fprintf(&lines, "(line %d of a file that takes its time) Tj T* ", i)
	}
	lines.WriteString("ET")
	got, err := extract.Extract(t.Context(), pdf(deflate(lines.String(), "", 0)), extract.Options{})
	if err != nil || !strings.Contains(got.Text, "line 1999 ") || slices.Contains(got.Warnings, extract.WarnIncomplete) {
		t.Errorf("Extract() = %d bytes with %v, %v, want all of them", len(got.Text), got.Warnings, err)
	}
}
