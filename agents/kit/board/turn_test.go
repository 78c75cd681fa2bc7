package board_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

func TestAJobThatNobodyRepliedToWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		b := board.New(board.Options{MaxRunning: 1, Work: func(ctx context.Context, job *board.Job) error {
			if job.Request.Message.Parts[0].Text() == "hang" {
				select {
				case <-ended:
				case <-ctx.Done():
				}
				return nil
			}
			if _, err := job.Ask(ctx, a2a.NewTextPart("who are you?")); fault.ReasonOf(err) != "NO_REPLY" {
				return err
			}
			return job.Progress("goes on without")
		}})
		defer stop(t, b)
		asks := send(t, b, say("hi"))
		other := send(t, b, atOnce(say("hang")))
		time.Sleep(board.MaxWait + time.Second) //nolint:forbidigo // inside a bubble it waits for nothing
		wantState(t, b, other.ID, a2a.TaskStateWorking)
		if task := wantState(t, b, asks.ID, a2a.TaskStateWorking); task.Status.Message != nil {
			t.Errorf("while the other job has the only turn, the one that nobody replied to says %q, want that it waits", task.Status.Message.Parts[0].Text())
		}
		close(ended)
		synctest.Wait()
		wantState(t, b, asks.ID, a2a.TaskStateCompleted)
	})
}

func TestAJobThatAsksTwiceAtOnceTakesOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, again := make(chan struct{}), make(chan struct{})
		b := board.New(board.Options{MaxRunning: 1, Work: func(ctx context.Context, job *board.Job) error {
			if job.Request.Message.Parts[0].Text() == "hang" {
				select {
				case <-ended:
				case <-ctx.Done():
				}
				return nil
			}
			second := make(chan error, 1)
			go func() {
				<-again
				_, err := job.Ask(ctx, a2a.NewTextPart("and how are you?"))
				second <- err
			}()
			_, err := job.Ask(ctx, a2a.NewTextPart("who are you?"))
			return errors.Join(err, <-second)
		}})
		defer stop(t, b)
		asks := send(t, b, say("hi"))
		send(t, b, atOnce(say("hang")))
		synctest.Wait()
		send(t, b, atOnce(replyTo(asks, "Ada"))) // who waits for its turn
		close(again)
		synctest.Wait()
		send(t, b, atOnce(replyTo(asks, "well")))
		close(ended)
		synctest.Wait()
		wantState(t, b, asks.ID, a2a.TaskStateCompleted)
	})
}
