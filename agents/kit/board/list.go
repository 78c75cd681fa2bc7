package board

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

const (
	defaultPage = 50
	maxPage     = 100
)

// ListTasks returns a page of tasks, the most recently changed first. An agent has no users: everybody who can call it sees
// all tasks.
func (b *Board) ListTasks(ctx context.Context, request *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	if err := checkVersion(ctx); err != nil {
		return nil, err
	}
	if err := checkHistory(request.HistoryLength); err != nil {
		return nil, err
	}
	size := request.PageSize
	if size == 0 {
		size = defaultPage
	}
	if size < 1 || size > maxPage {
		return nil, a2a.NewError(a2a.ErrInvalidParams, "the page size must be 1 to 100")
	}
	start, err := parseToken(request.PageToken)
	if err != nil {
		return nil, err
	}
	found := b.matching(request)
	answer := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: len(found), PageSize: size}
	for _, task := range found {
		if start != nil && compare(*start, keyOf(task)) >= 0 {
			continue
		}
		if len(answer.Tasks) == size {
			answer.NextPageToken = keyOf(answer.Tasks[size-1]).token()
			break
		}
		answer.Tasks = append(answer.Tasks, withHistory(task, request.HistoryLength))
	}
	if !request.IncludeArtifacts {
		for i, task := range answer.Tasks {
			bare := *task
			bare.Artifacts = nil
			answer.Tasks[i] = &bare
		}
	}
	return answer, nil
}

// matching returns the tasks that match the request, sorted.
func (b *Board) matching(request *a2a.ListTasksRequest) []*a2a.Task {
	b.mu.Lock()
	b.forget(time.Now())
	var found []*a2a.Task
	for _, e := range b.tasks {
		task := e.snapshot().task
		if (request.ContextID == "" || request.ContextID == task.ContextID) &&
			(request.Status == a2a.TaskStateUnspecified || request.Status == task.Status.State) &&
			(request.StatusTimestampAfter == nil || !task.Status.Timestamp.Before(*request.StatusTimestampAfter)) {
			found = append(found, task)
		}
	}
	b.mu.Unlock()
	slices.SortFunc(found, func(x, y *a2a.Task) int { return compare(keyOf(x), keyOf(y)) })
	return found
}

// key is a task's position in the list.
type key struct {
	nanos int64
	id    string
}

func keyOf(task *a2a.Task) key { return key{task.Status.Timestamp.UnixNano(), string(task.ID)} }

func compare(x, y key) int {
	return cmp.Or(cmp.Compare(y.nanos, x.nanos), cmp.Compare(x.id, y.id))
}

func (k key) token() string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(k.nanos)) //nolint:gosec // the same bits, back and forth
	return base64.RawURLEncoding.EncodeToString(append(raw, k.id...))
}

func parseToken(token string) (*key, error) {
	if token == "" {
		return nil, nil //nolint:nilnil // without a token, the page is the first one
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < 8 {
		return nil, a2a.NewError(a2a.ErrInvalidParams, "the page token is not one of this agent's")
	}
	return &key{int64(binary.BigEndian.Uint64(raw)), string(raw[8:])}, nil //nolint:gosec // as above
}
