package board_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

func say(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// atOnce makes a request return before the task has ended.
func atOnce(request *a2a.SendMessageRequest) *a2a.SendMessageRequest {
	request.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	return request
}

func send(t *testing.T, b *board.Board, request *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	result, err := b.SendMessage(t.Context(), request)
	if err != nil {
		t.Fatalf("SendMessage(%s) = %v, want a task", request.Message.ID, err)
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		t.Fatalf("SendMessage(%s) = %T, want a task", request.Message.ID, result)
	}
	return task
}

func stop(t *testing.T, b *board.Board) {
	t.Helper()
	if err := b.Stop(t.Context()); err != nil {
		t.Errorf("Stop() = %v, want nil", err)
	}
}

func untilCanceled(ctx context.Context, _ *board.Job) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func nothing(context.Context, *board.Job) error { return nil }

func TestANilFaultThatIsReturnedAsAnErrorFailsItsTask(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: func(context.Context, *board.Job) error {
		var none *fault.Error
		return none
	}})
	defer stop(t, b)
	if got := send(t, b, say("x")).Status.State; got != a2a.TaskStateFailed {
		t.Errorf("the state is %s, want %s", got, a2a.TaskStateFailed)
	}
}

func TestAJobThatEndsItsGoroutineFailsItsTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: func(context.Context, *board.Job) error { runtime.Goexit(); return nil }})
		defer stop(t, b)
		task := send(t, b, atOnce(say("x")))
		synctest.Wait()
		ended, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
		if err != nil || ended.Status.State != a2a.TaskStateFailed {
			t.Errorf("GetTask() = %v, %v, want a task that is %s", ended, err, a2a.TaskStateFailed)
		}
	})
}

func TestATaskWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: untilCanceled, MaxRunning: 1, MaxWaiting: 1})
		defer stop(t, b)
		first, second := send(t, b, atOnce(say("a"))), send(t, b, atOnce(say("b")))
		synctest.Wait()
		states := func() (list []a2a.TaskState) {
			for _, id := range []a2a.TaskID{first.ID, second.ID} {
				task, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
				if err != nil {
					t.Fatalf("GetTask() = %v, want a task", err)
				}
				list = append(list, task.Status.State)
			}
			return list
		}
		working := states()
		slices.Sort(working)
		if want := []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking}; !slices.Equal(working, want) {
			t.Errorf("two tasks on one slot are %v, want %v", working, want)
		}
		if _, err := b.SendMessage(t.Context(), say("c")); err == nil || !strings.Contains(err.Error(), "as many tasks as it can take") {
			t.Errorf("SendMessage() of a third task = %v, want that there is no room", err)
		}
		for _, id := range []a2a.TaskID{first.ID, second.ID} {
			if _, err := b.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: id}); err != nil {
				t.Errorf("CancelTask() = %v, want nil", err)
			}
		}
		synctest.Wait()
		if want := []a2a.TaskState{a2a.TaskStateCanceled, a2a.TaskStateCanceled}; !slices.Equal(states(), want) {
			t.Errorf("canceled tasks are %v, want %v", states(), want)
		}
		if _, err := b.SendMessage(t.Context(), atOnce(say("c"))); err != nil {
			t.Errorf("SendMessage() after both were canceled = %v, want a task", err)
		}
	})
}

// TestAMessageHoldsOnlySoMuchWhereverItIs has senders who leave the content small.
func TestAMessageHoldsOnlySoMuchWhereverItIs(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: nothing})
	defer stop(t, b)
	long := strings.Repeat("x", board.MaxBytes)
	for name, fill := range map[string]func(*a2a.SendMessageRequest){
		"nowhere":                        func(*a2a.SendMessageRequest) {},
		"in the request's metadata":      func(r *a2a.SendMessageRequest) { r.Metadata = map[string]any{"a": long} },
		"in the message's metadata":      func(r *a2a.SendMessageRequest) { r.Message.Metadata = map[string]any{"a": []any{long}} },
		"in the id of the context":       func(r *a2a.SendMessageRequest) { r.Message.ContextID = long },
		"in an extension":                func(r *a2a.SendMessageRequest) { r.Message.Extensions = []string{long} },
		"in a task that it refers to":    func(r *a2a.SendMessageRequest) { r.Message.ReferenceTasks = []a2a.TaskID{a2a.TaskID(long)} },
		"in the metadata of a part":      func(r *a2a.SendMessageRequest) { r.Message.Parts[0].Metadata = map[string]any{"a": long} },
		"in the name of a file":          func(r *a2a.SendMessageRequest) { r.Message.Parts[0].Filename = long },
		"in a media type":                func(r *a2a.SendMessageRequest) { r.Message.Parts[0].MediaType = long },
		"in a part":                      func(r *a2a.SendMessageRequest) { r.Message.Parts[0].Content = a2a.Text(long) },
		"in parts that are empty":        func(r *a2a.SendMessageRequest) { r.Message.Parts = slices.Repeat(r.Message.Parts, board.MaxBytes/32) },
		"in extensions that are empty":   func(r *a2a.SendMessageRequest) { r.Message.Extensions = make([]string, board.MaxBytes/32) },
		"in references that are to none": func(r *a2a.SendMessageRequest) { r.Message.ReferenceTasks = make([]a2a.TaskID, board.MaxBytes/32) },
	} {
		request := say("")
		fill(request)
		_, err := b.SendMessage(t.Context(), request)
		if refused := errors.Is(err, a2a.ErrInvalidParams); refused != (name != "nowhere") {
			t.Errorf("SendMessage() of a message with %d bytes %s = %v, want ErrInvalidParams where they are too many", board.MaxBytes, name, err)
		}
	}
}

// TestTasksThatHaveNotEndedHoldOnlySoMuch has senders whose messages are large: many of them would fit by their number.
func TestTasksThatHaveNotEndedHoldOnlySoMuch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: untilCanceled, MaxRunning: 1, MaxLiveBytes: 1100})
		defer stop(t, b)
		large := func() *a2a.SendMessageRequest { return atOnce(say(strings.Repeat("x", 400))) }
		first := send(t, b, large())
		again := large()
		send(t, b, again)
		if _, err := b.SendMessage(t.Context(), large()); err == nil || !strings.Contains(err.Error(), "as many tasks as it can take") {
			t.Errorf("SendMessage() of a third large message = %v, want that there is no room", err)
		}
		send(t, b, again) // it has its task
		send(t, b, atOnce(say("small")))
		if _, err := b.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: first.ID}); err != nil {
			t.Errorf("CancelTask() = %v, want nil", err)
		}
		synctest.Wait()
		send(t, b, large())
	})
}

func TestEndedTasksAreForgotten(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options board.Options
		text    string
		pause   time.Duration
	}{
		"when there are too many":     {board.Options{MaxKept: 2}, "x", 0},
		"when they hold too much":     {board.Options{MaxKeptBytes: 10_000}, strings.Repeat("x", 3000), 0},
		"when they have grown old":    {board.Options{KeepFor: time.Minute}, "x", 31 * time.Second},
		"by each limit independently": {board.Options{MaxKept: 2, MaxKeptBytes: 1 << 20, KeepFor: time.Hour}, "x", time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.options.Work = nothing
				b := board.New(test.options)
				defer stop(t, b)
				var requests []*a2a.SendMessageRequest
				var ids []a2a.TaskID
				for range 3 {
					requests = append(requests, say(test.text))
					ids = append(ids, send(t, b, requests[len(requests)-1]).ID)
					synctest.Wait()
					time.Sleep(test.pause) //nolint:forbidigo // inside a bubble it waits for nothing
				}
				if _, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: ids[0]}); !errors.Is(err, a2a.ErrTaskNotFound) {
					t.Errorf("GetTask(oldest) = %v, want that it is not found", err)
				}
				if _, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: ids[2]}); err != nil {
					t.Errorf("GetTask(newest) = %v, want the task", err)
				}
				if again := send(t, b, requests[2]).ID; again != ids[2] {
					t.Errorf("the newest message sent again made task %s, want the known %s", again, ids[2])
				}
				if again := send(t, b, requests[0]).ID; again == ids[0] {
					t.Errorf("the oldest message sent again found task %s, want a new one", again)
				}
			})
		})
	}
}

func TestEndedTasksOfManyPiecesAreForgottenSooner(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{MaxKeptBytes: 1 << 20, Work: func(_ context.Context, job *board.Job) error {
		for i := range 900 {
			if err := job.AddArtifact(&a2a.Artifact{ID: a2a.ArtifactID(strconv.Itoa(i)), Parts: a2a.ContentParts{a2a.NewTextPart("word ")}}); err != nil {
				return err
			}
		}
		return nil
	}})
	oldest := send(t, b, say("x")).ID
	for range 2 {
		send(t, b, say("x"))
	}
	stop(t, b)
	if _, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: oldest}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("GetTask(oldest) = %v, want that it is not found: three take more than 1 MiB", err)
	}
}

func TestATaskIsBounded(t *testing.T) {
	t.Parallel()
	reasons := make(chan string, 4)
	b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
		var err error
		for i := 0; err == nil; i++ {
			switch job.Request.Message.Parts[0].Text() {
			case "talk":
				err = job.Progress(strconv.Itoa(i))
			case "rant":
				err = job.Progress(strings.Repeat("x", 1<<20))
			case "describe":
				err = job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewTextPart("")}, Metadata: map[string]any{"a": strings.Repeat("x", 1<<20)}})
			default:
				err = job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewRawPart(make([]byte, 1<<20))}})
			}
		}
		reasons <- fault.ReasonOf(err)
		return nil
	}})
	defer stop(t, b)
	tests := map[string]string{"talk": "TOO_MANY_EVENTS", "rant": "TASK_TOO_LARGE", "pile up": "TASK_TOO_LARGE", "describe": "TASK_TOO_LARGE"}
	for text, want := range tests {
		task := send(t, b, say(text))
		if got := <-reasons; got != want || task.Status.State != a2a.TaskStateCompleted {
			t.Errorf("a task that goes on to %s is refused by %s and ends %s, want %s and COMPLETED", text, got, task.Status.State, want)
		}
	}
}

func TestACanceledTaskTakesNoMore(t *testing.T) {
	t.Parallel()
	refused := make(chan string, 1)
	started := make(chan struct{})
	b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
		close(started)
		<-ctx.Done()
		refused <- fault.ReasonOf(job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewTextPart("late")}}))
		return nil
	}})
	defer stop(t, b)
	task := send(t, b, atOnce(say("x")))
	<-started
	canceled, err := b.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID})
	if err != nil || canceled.Status.State != a2a.TaskStateCanceled {
		t.Fatalf("CancelTask() = %v, %v, want it canceled", canceled, err)
	}
	if got := <-refused; got != "TASK_ENDED" {
		t.Errorf("AddArtifact() after the end = %s, want TASK_ENDED", got)
	}
}

func TestAStoppedBoardEndsNoTask(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: untilCanceled})
	task := send(t, b, atOnce(say("x")))
	stop(t, b)
	got, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
	if err != nil || got.Status.State.Terminal() {
		t.Errorf("GetTask() after Stop() = %v, %v, want a task without an end: its message will be sent again", got, err)
	}
	if _, err := b.SendMessage(t.Context(), say("y")); !errors.Is(err, a2a.ErrServerError) {
		t.Errorf("SendMessage() after Stop() = %v, want that the agent is stopping", err)
	}
	stop(t, b)
}

func TestWhatIsDoneWhileABoardStopsIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
			<-ctx.Done()
			return job.AddArtifact(&a2a.Artifact{ID: "a", Parts: a2a.ContentParts{a2a.NewTextPart("done")}})
		}})
		ended := make(chan *a2a.Task)
		go func() {
			result, err := b.SendMessage(t.Context(), say("x"))
			if err != nil {
				t.Errorf("SendMessage() = %v, want the task that was completed", err)
			}
			task, _ := result.(*a2a.Task)
			ended <- task
		}()
		synctest.Wait()
		stop(t, b)
		if got := <-ended; got == nil || got.Status.State != a2a.TaskStateCompleted || len(got.Artifacts) != 1 {
			t.Errorf("SendMessage() = %v, want a task that is %s, with its artifact", got, a2a.TaskStateCompleted)
		}
	})
}

func TestAStoppedBoardStartsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := make(chan string, 2000)
		b := board.New(board.Options{MaxRunning: 1, Work: func(ctx context.Context, job *board.Job) error {
			started <- job.Request.Message.Parts[0].Text()
			return untilCanceled(ctx, job)
		}})
		running := send(t, b, atOnce(say("runs")))
		synctest.Wait()
		for range 1000 { // enough that the one that runs is often canceled before some that wait
			send(t, b, atOnce(say("waits")))
		}
		stop(t, b)
		if _, err := b.SendMessage(t.Context(), atOnce(say("is late"))); !errors.Is(err, a2a.ErrServerError) {
			t.Errorf("SendMessage() after Stop() = %v, want that the agent is stopping", err)
		}
		synctest.Wait()
		if len(started) != 1 {
			t.Errorf("the board started %d jobs, want only the one before Stop()", len(started))
		}
		wantState(t, b, running.ID, a2a.TaskStateWorking)
	})
}

func TestWatchersSeeTheSameEventsHoweverSlow(t *testing.T) {
	t.Parallel()
	const steps = 100
	b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
		for i := range steps {
			if err := job.Progress(strconv.Itoa(i)); err != nil {
				return err
			}
		}
		return nil
	}})
	defer stop(t, b)
	request := say("x")
	var seen [3][]string
	for i := range seen { // the later ones find the task at its end or before it
		for event, err := range b.SendStreamingMessage(t.Context(), request) {
			if err != nil {
				t.Fatalf("SendStreamingMessage() yields %v, want events", err)
			}
			if e, ok := event.(*a2a.TaskStatusUpdateEvent); ok && e.Status.Message != nil && e.Status.State == a2a.TaskStateWorking {
				seen[i] = append(seen[i], e.Status.Message.Parts[0].Text())
			}
		}
	}
	if len(seen[0]) != steps || !slices.IsSortedFunc(seen[0], func(x, y string) int { return len(x) - len(y) }) {
		t.Errorf("the first watcher saw %d events %v, want %d in order", len(seen[0]), seen[0], steps)
	}
	if len(seen[1]) != 0 || len(seen[2]) != 0 {
		t.Errorf("a watcher of an ended task saw %d and %d events, want the task alone", len(seen[1]), len(seen[2]))
	}
}

func TestTheListIsPagedAndFiltered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
			return job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewTextPart("x")}})
		}})
		defer stop(t, b)
		empty, err := b.ListTasks(t.Context(), &a2a.ListTasksRequest{})
		if err != nil || empty.Tasks == nil || len(empty.Tasks) != 0 {
			t.Fatalf("ListTasks() of none = %v, %v, want an empty list that is not null", empty, err)
		}
		var want []a2a.TaskID
		for range 5 {
			request := say("x")
			request.Message.ContextID = "c"
			want = append(want, send(t, b, request).ID)
			time.Sleep(time.Second) //nolint:forbidigo // inside a bubble it waits for nothing
		}
		send(t, b, say("in another context"))
		slices.Reverse(want)
		var got []a2a.TaskID
		request := &a2a.ListTasksRequest{ContextID: "c", PageSize: 2, Status: a2a.TaskStateCompleted}
		for {
			page, err := b.ListTasks(t.Context(), request)
			if err != nil || page.TotalSize != 5 || len(page.Tasks) > 2 {
				t.Fatalf("ListTasks(%v) = %v, %v, want at most 2 of 5", request, page, err)
			}
			for _, task := range page.Tasks {
				if got = append(got, task.ID); task.Artifacts != nil {
					t.Errorf("ListTasks() has artifacts of %s, want none unless asked for", task.ID)
				}
			}
			if request.PageToken = page.NextPageToken; request.PageToken == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("ListTasks() = %v, want %v", got, want)
		}
		for name, bad := range map[string]*a2a.ListTasksRequest{"a token": {PageToken: "!"}, "a short token": {PageToken: "eA"}, "a size": {PageSize: 101}, "a negative size": {PageSize: -1}} {
			if _, err := b.ListTasks(t.Context(), bad); !errors.Is(err, a2a.ErrInvalidParams) {
				t.Errorf("ListTasks() with %s out of bounds = %v, want invalid params", name, err)
			}
		}
	})
}

func BenchmarkSendMessage(b *testing.B) {
	tasks := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
		return job.AddArtifact(&a2a.Artifact{ID: a2a.NewArtifactID(), Parts: a2a.ContentParts{a2a.NewTextPart("x")}})
	}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tasks.SendMessage(b.Context(), say("x")); err != nil {
			b.Fatal(err)
		}
	}
}
