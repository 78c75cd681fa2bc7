// Command chaos shows with real processes that no accepted task is lost, and that no gate opens by itself. It runs replicas of `quorate serve` over a
// DynamoDB emulator. It repeatedly kills them with SIGKILL, freezes them with SIGSTOP and stops them with SIGTERM, while it submits tasks through all of
// them: some that an agent does at once or after a while, that fail, that are canceled, whose agent asks something, that two agents do one after the other,
// and that must be reviewed. Then it compares the accepted tasks with what the agents have noted, which are not disturbed.
//
//	chaos [-time 60s] [-seed 1] [-bin .bin] [-keep]
//
// The folder -bin must contain quorate and dynoxide. The exit code is 1 if an accepted task is lost, ends twice, ends in another way or with another
// result than it must, or passes a gate without the reviewer's approval, and if a replica ends by itself or does not stop cleanly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const (
	replicas   = 3
	submitters = 6
	settleTime = 90 * time.Second // after the last disturbance, until every task must have ended
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (ok bool, err error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	duration := flags.Duration("time", time.Minute, "how long replicas are disturbed")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "of the choices of what to disturb when")
	bin := flags.String("bin", ".bin", "folder of the programs quorate, echo and dynoxide")
	keep := flags.Bool("keep", false, "keep the folder with logs and configurations, and say where it is")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "quorate-chaos")
	if err != nil {
		return false, err
	}
	w, err := newWorld(ctx, *bin, dir)
	defer func() {
		w.close()
		if !*keep && ok {
			err = errors.Join(err, os.RemoveAll(dir))
		} else if _, printErr := fmt.Fprintf(out, "logs           %s\n", dir); printErr != nil {
			err = errors.Join(err, printErr)
		}
	}()
	if err != nil {
		return false, err
	}
	if _, err := fmt.Fprintf(out, "seed           %d\n", *seed); err != nil {
		return false, err
	}
	l := newLoad(w)
	disturbances, err := torment(ctx, w, l, *duration, *seed)
	if err != nil {
		return false, err
	}
	return l.judge(ctx, disturbances, out)
}

// torment disturbs the replicas for a time while tasks are submitted, and returns when their callers have done what they do.
func torment(ctx context.Context, w *world, l *load, duration time.Duration, seed uint64) ([]disturbance, error) {
	ctx, cancel := context.WithTimeout(ctx, duration+settleTime)
	defer cancel()
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range submitters {
		running.Go(func() { l.submit(ctx, stop) })
	}
	disturbances, err := w.disturb(ctx, duration, seed)
	close(stop)
	running.Wait()
	l.playing.Wait()
	select {
	case left := <-w.left:
		err = errors.Join(err, fmt.Errorf("an agent has ended: %w", left))
	default:
	}
	return disturbances, err
}
