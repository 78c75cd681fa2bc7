package rpc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/filter"
	"github.com/quorate/quorate/platform/page"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// A page ends early when few tasks match the filter or belong to the caller, so that the work is bounded, and when its tasks are large.
const (
	pageReads = 40
	pageLooks = 2000    // tasks
	readTasks = 100     // tasks at a time, each with a state of up to the store's limit
	pageBytes = 4 << 20 // bytes after which no more is read
)

// taskFields are the fields of Task by which a filter can compare.
var taskFields = filter.Fields[orchestrator.Task]{
	"id":         filter.Text(func(t *orchestrator.Task) string { return t.ID }),
	"context_id": filter.Text(func(t *orchestrator.Task) string { return t.ContextID }),
	"parent_task_id": filter.Text(func(t *orchestrator.Task) string {
		if t.Parent == nil {
			return ""
		}
		return t.Parent.TaskID
	}),
	"state":       filter.Enum("TASK_STATE_", slices.Sorted(maps.Keys(a2apb.TaskState_value)), func(t *orchestrator.Task) string { return t.State.String() }),
	"phase":       filter.Word(phases, func(t *orchestrator.Task) string { return string(t.Phase) }),
	"agent":       filter.Text(func(t *orchestrator.Task) string { return t.Agent }),
	"skill":       filter.Text(func(t *orchestrator.Task) string { return t.Skill }),
	"blocked":     filter.Bool((*orchestrator.Task).Blocked),
	"create_time": filter.Time(func(t *orchestrator.Task) time.Time { return t.CreateTime }),
	"update_time": filter.Time(func(t *orchestrator.Task) time.Time { return t.UpdateTime }),
	"deadline":    filter.Time(func(t *orchestrator.Task) time.Time { return t.Deadline }),
}

var phases = []string{
	string(orchestrator.PhasePreExecution), string(orchestrator.PhaseExecution), string(orchestrator.PhaseDesignReview),
	string(orchestrator.PhasePreCompletion), string(orchestrator.PhaseOnError), string(orchestrator.PhaseDone),
}

// ListTasks implements the RPC.
func (s *Service) ListTasks(ctx context.Context, req *orchestratorv1.ListTasksRequest) (*orchestratorv1.ListTasksResponse, error) {
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	wanted, err := filter.Parse(req.GetFilter(), taskFields)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(req.GetOrderBy()); err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("tasks %q %q %q", p.Tenant, p.Name, req.GetFilter())
	cursor, err := s.pages.Decode(scope, req.GetPageToken())
	if err != nil {
		return nil, err
	}
	resp := &orchestratorv1.ListTasksResponse{}
	size, next, looks, bytes := page.Size(req.GetPageSize()), string(cursor), 0, 0
	for read := 0; read < pageReads && looks < pageLooks && bytes < pageBytes && len(resp.GetTasks()) < size; read++ {
		var list []orchestrator.Task
		if list, next, err = s.store.Tasks(ctx, p.Tenant, next, min(size-len(resp.GetTasks()), readTasks)); err != nil {
			return nil, err
		}
		for i := range list {
			if t := &list[i]; MaySee(p, t) && wanted.Match(t) {
				shown := taskToProto(t)
				resp.Tasks, bytes = append(resp.Tasks, shown), bytes+proto.Size(shown)
			}
		}
		if looks += len(list); next == "" {
			break
		}
	}
	resp.NextPageToken = s.pages.Encode(scope, []byte(next))
	return resp, nil
}

// checkOrder refuses every order except the one in which tasks are stored.
func checkOrder(text string) error {
	switch filter.FieldName(strings.Join(strings.Fields(text), " ")) {
	case "", "create_time desc":
		return nil
	default:
		return fault.Invalid("order_by", "ORDER_INVALID", "tasks are listed by create_time desc, the newest first, and in no other order")
	}
}
