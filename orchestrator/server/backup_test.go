package server_test

import (
	"os"
	"path/filepath"
	"slices"
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
		"none":                                {want: 0},
		"one of before":                       {there: []string{"quorate-20260506T064809Z", "quorate-20260505T064809Z"}, want: 40 * time.Minute},
		"an old one":                          {there: []string{"quorate-20260501T000000Z"}, want: -(5*24*time.Hour + 7*time.Hour + 8*time.Minute + 9*time.Second) + time.Hour},
		"one that was cut":                    {there: []string{"quorate-20260506T064809Z.part"}, want: 0},
		"one of the future":                   {there: []string{"quorate-20270506T064809Z"}, want: 0},
		"one of before and one of the future": {there: []string{"quorate-20260506T064809Z", "quorate-20270506T064809Z"}, want: 40 * time.Minute},
		"others":                              {there: []string{"quorate-20260506", "zzz"}, want: 0},
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

// TestCopiesOfAWrongClockGoFirst has the clock be wrong for a while: the copy that was just made is not the oldest, whatever the others are called.
func TestCopiesOfAWrongClockGoFirst(t *testing.T) {
	t.Parallel()
	b := server.Backup{Dir: t.TempDir(), Every: time.Hour, Keep: 2}
	for _, copied := range []string{"quorate-20260505T070809Z", "quorate-20270506T064809Z", "quorate-20270507T064809Z"} {
		if err := os.Mkdir(filepath.Join(b.Dir, copied), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	made, err := b.Once(t.Context(), time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC))
	if err != nil {
		t.Fatalf("the copy = %v, want no error", err)
	}
	entries, err := os.ReadDir(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".lock", "quorate-20260505T070809Z", filepath.Base(made)}; !slices.Equal(names, want) {
		t.Errorf("the folder has %q, want %q", names, want)
	}
}

// TestACopyThatIsThereIsNotMadeAgain has what comes after a copy go wrong, such as the removal of those that are too many: a copy a minute would fill
// the disk.
func TestACopyThatIsThereIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	b := server.Backup{Dir: t.TempDir(), Every: time.Hour, Keep: 1}
	if got := b.Again(now); got != time.Minute {
		t.Errorf("without a copy the next one is due in %s, want a minute", got)
	}
	if err := os.Mkdir(filepath.Join(b.Dir, "quorate-20260506T070801Z"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Again(now), time.Hour-8*time.Second; got != want {
		t.Errorf("after a copy the next one is due in %s, want %s", got, want)
	}
}
