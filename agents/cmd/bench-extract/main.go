// Command bench-extract scores the extraction of main content on a folder of labelled pages, whose form package aeb describes.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/agents/webfetch/extract/aeb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-extract:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench-extract", flag.ContinueOnError)
	format := flags.String("format", string(extract.Text), "what is compared: text or markdown")
	floor := flags.Float64("floor", 0, "fail when F1 is below this")
	worst := flags.Int("worst", 0, "list so many pages with the lowest F1")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(flags.Output(), "usage: bench-extract [flags] DIR\nDIR holds ground-truth.json and html/ID.html.gz")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return fmt.Errorf("one folder is needed, not %d", flags.NArg())
	}
	pages, err := aeb.Load(os.DirFS(flags.Arg(0)))
	if err != nil {
		return err
	}
	r, err := measure(ctx, pages, extract.Format(*format))
	if err != nil {
		return err
	}
	r.print(out, *worst)
	if r.score.F1 < *floor {
		return fmt.Errorf("F1 is %.4f, below %.4f", r.score.F1, *floor)
	}
	return nil
}

type result struct {
	pages   []aeb.Page
	matches []aeb.Match
	by      map[extract.Extractor]int
	score   aeb.Score
	cpu     time.Duration
}

func measure(ctx context.Context, pages []aeb.Page, format extract.Format) (result, error) {
	r := result{pages: pages, by: map[extract.Extractor]int{}}
	for _, p := range pages {
		u, err := url.Parse(p.URL)
		if err != nil {
			u = nil // the address is no part of the score
		}
		before := cpuTime()
		content, err := extract.Extract(ctx, extract.Source{Data: p.HTML, ContentType: "text/html", URL: u}, extract.Options{Format: format})
		r.cpu += cpuTime() - before
		if err != nil {
			return r, fmt.Errorf("page %s: %w", p.ID, err)
		}
		r.by[content.Extractor]++
		r.matches = append(r.matches, aeb.Compare(p.Truth, content.Text))
	}
	if len(pages) == 0 {
		return r, errors.New("the set has no pages")
	}
	r.score = aeb.Bootstrap(r.matches)
	return r, nil
}

func (r result) print(out io.Writer, worst int) {
	s := r.score
	_, _ = fmt.Fprintf(out, "pages      %d (by %v)\n", len(r.pages), r.by)
	_, _ = fmt.Fprintf(out, "F1         %.4f ± %.4f\n", s.F1, s.F1Error)
	_, _ = fmt.Fprintf(out, "precision  %.4f ± %.4f\n", s.Precision, s.PrecisionError)
	_, _ = fmt.Fprintf(out, "recall     %.4f ± %.4f\n", s.Recall, s.RecallError)
	_, _ = fmt.Fprintf(out, "CPU        %.2f ms per page, %.0f pages per CPU second\n",
		float64(r.cpu.Microseconds())/1000/float64(len(r.pages)), float64(len(r.pages))/r.cpu.Seconds())
	order := make([]int, len(r.pages))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.matches[a].F1(), r.matches[b].F1()) })
	for _, i := range order[:min(worst, len(order))] {
		_, _ = fmt.Fprintf(out, "%.3f  %s  %s\n", r.matches[i].F1(), r.pages[i].ID, r.pages[i].URL)
	}
}

// cpuTime returns the time that all threads of this process have spent.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
