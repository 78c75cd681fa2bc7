// Command echo is the echo agent as a process of its own, for tests that kill everything else. It appends the id of each message that it
// begins to work on to a file, if one is named, one per line, so that tests can see what was lost and what was done twice.
//
//	echo -listen 127.0.0.1:7000 -log executed.log
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("echo", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:0", "address to serve A2A at")
	name := flags.String("log", os.DevNull, "file to append message ids to")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	file, err := os.OpenFile(*name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	config := echo.New().Config()
	if config.Listener, err = new(net.ListenConfig).Listen(ctx, "tcp", *listen); err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	config.Handler = logged(config.Handler, file)
	agent, err := kit.New(config) //nolint:contextcheck // the card is encoded without one
	if err != nil {
		return errors.Join(err, config.Listener.Close())
	}
	if _, err := fmt.Fprintln(out, agent.CardURL()); err != nil {
		return errors.Join(err, config.Listener.Close())
	}
	return agent.Run(ctx)
}

// logged writes the id of each message to the file before the message is worked on.
func logged(next kit.Handler, file io.Writer) kit.Handler {
	var mu sync.Mutex
	return func(ctx context.Context, t *kit.Task) error {
		mu.Lock()
		_, err := fmt.Fprintln(file, t.Message.ID)
		mu.Unlock()
		if err != nil {
			return fmt.Errorf("writing the log: %w", err)
		}
		return next(ctx, t)
	}
}
