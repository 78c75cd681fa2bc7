// Package tasks runs the long-lived parts of a process: they start together and stop together.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Task is one long-lived part. Run works until ctx is done, and returns only when everything that it started has stopped.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// Run runs all tasks of list and returns when all have returned. The first task that returns, with an error or not, cancels
// the others; so does the end of ctx, which is a clean stop. It returns the joined errors of all tasks, each with the
// task's name; a panic becomes an error.
func Run(ctx context.Context, logger *slog.Logger, list ...Task) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(list))
	var group sync.WaitGroup
	for i, task := range list {
		group.Go(func() {
			defer cancel()
			err := guard(ctx, logger, task)
			stopped := ctx.Err() != nil
			if stopped && errors.Is(err, context.Canceled) {
				err = nil // it was told to stop
			}
			if !stopped {
				logger.InfoContext(ctx, "a part of the process ended, stopping the others", slog.String("part", task.Name))
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", task.Name, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// guard logs the stack of a panic, because the error cannot carry it.
func guard(ctx context.Context, logger *slog.Logger, task Task) (err error) {
	defer func() {
		if v := recover(); v != nil {
			logger.ErrorContext(ctx, "a part of the process panicked", slog.String("part", task.Name), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return task.Run(ctx)
}
