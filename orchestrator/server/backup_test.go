package server_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
)

func TestACopyIsDueByTheOneBeforeItAcrossStarts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for name, test := range map[string]struct {
		there []string
		want  time.Duration
	}{
		"none":              {want: 0},
		"one of before":     {there: []string{"quorate-20260506T064809Z", "quorate-20260505T064809Z"}, want: 40 * time.Minute},
		"an old one":        {there: []string{"quorate-20260501T000000Z"}, want: -(5*24*time.Hour + 7*time.Hour + 8*time.Minute + 9*time.Second) + time.Hour},
		"one that was cut":  {there: []string{"quorate-20260506T064809Z.part"}, want: 0},
		"one of the future": {there: []string{"quorate-20270506T064809Z"}, want: time.Hour},
		"others":            {there: []string{"quorate-20260506", "zzz"}, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := server.Backup{Dir: t.TempDir(), Every: time.Hour, Keep: 1}
			for _, copied := range test.there {
				if err := os.Mkdir(filepath.Join(b.Dir, copied), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if got := b.Due(now); got != test.want {
				t.Errorf("the next copy is due in %s, want %s", got, test.want)
			}
		})
	}
}
