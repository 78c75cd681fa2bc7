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
	pageLooks = 2000 // tasks
	readTasks = 100  // tasks at a time, each with a state of up to the store's limit

	// PageBytes is the total size of the tasks on a page, unless a single one is larger: with what is around them, gRPC clients take 4 MiB.
	PageBytes = 4<<20 - 4<<10
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
	size, limit, next, looks, room := page.Size(req.GetPageSize()), readTasks, string(cursor), 0, PageBytes
	for read := 0; read < pageReads && looks < pageLooks && len(resp.GetTasks()) < size; read++ {
		list, behind, err := s.store.Tasks(ctx, p.Tenant, next, min(size-len(resp.GetTasks()), limit))
		if err != nil {
			return nil, err
		}
		shown, bytes, fit := fitting(list, room, len(resp.GetTasks()) == 0, func(t *orchestrator.Task) bool { return MaySee(p, t) && wanted.Match(t) })
		if fit < len(list) { // only the store can say how a list goes on, so those that fit are read again, as a list
			if limit = fit; limit == 0 {
				break
			}
			continue
		}
		resp.Tasks, room, next = append(resp.Tasks, shown...), room-bytes, behind
		if looks += len(list); next == "" || limit < readTasks {
			break
		}
	}
	resp.NextPageToken = s.pages.Encode(scope, []byte(next))
	return resp, nil
}

// fitting returns those of the first tasks of list that are wanted, with their size in bytes: as many as there is room for, and at least one of them if one must be. fit
// is the number of tasks of list among which they are.
func fitting(list []orchestrator.Task, room int, must bool, wanted func(*orchestrator.Task) bool) (shown []*orchestratorv1.Task, bytes, fit int) {
	for i := range list {
		if !wanted(&list[i]) {
			continue
		}
		task := taskToProto(&list[i])
		size := proto.Size(task)
		if bytes+size > room && (!must || len(shown) > 0) {
			return shown, bytes, i
		}
		shown, bytes = append(shown, task), bytes+size
	}
	return shown, bytes, len(list)
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
