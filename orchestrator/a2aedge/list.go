package a2aedge

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

const (
	defaultPage = 50
	maxPage     = 100
	maxListed   = 10_000 // tasks that a list covers
	scanPage    = 200
)

// place is the position of a task in a list: by the time of its last change, newest first (A2A §3.1.4).
type place struct {
	changed int64 // Unix time in µs
	id      string
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(q.changed, p.changed), cmp.Compare(q.id, p.id))
}

// ListTasks implements the RPC. The total counts those of the tenant's newest tasks that the caller may see and the filters match.
func (s *Service) ListTasks(ctx context.Context, req *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
	if err := checkCall(ctx, req.HistoryLength); err != nil { //nolint:protogetter // 0 is not the same as none
		return nil, err
	}
	if _, known := a2apb.TaskState_name[int32(req.GetStatus())]; !known {
		return nil, invalidParams("status", "there is no task state %d", req.GetStatus())
	}
	size := int32(defaultPage)
	if asked := req.GetPageSize(); asked < 0 || asked > maxPage {
		return nil, fault.Invalid("page_size", "PAGE_SIZE_INVALID", "the page size %d is not between 1 and %d", asked, maxPage)
	} else if asked > 0 { // clients that have no page size in mind send 0, as a2a-go's does over gRPC
		size = asked
	}
	p, err := taskrpc.Caller(ctx)
	if err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("a2a %q %q %q %q %d %d", p.Tenant, p.Name, req.GetTenant(), req.GetContextId(), req.GetStatus(), since(req).UnixMicro())
	after, err := s.cursor(scope, req.GetPageToken())
	if err != nil {
		return nil, err
	}
	all, err := s.places(ctx, p, req)
	if err != nil {
		return nil, err
	}
	resp := &a2apb.ListTasksResponse{Tasks: []*a2apb.Task{}, PageSize: size, TotalSize: int32(min(len(all), math.MaxInt32))}
	rest := all
	if after != nil {
		rest = all[indexAfter(all, *after):]
	}
	shown, err := s.showPage(ctx, p, resp, rest[:min(int(size), len(rest))], view{history: req.HistoryLength, artifacts: req.GetIncludeArtifacts()})
	if err == nil && shown < len(rest) {
		resp.NextPageToken = s.pages.Encode(scope, rest[shown-1].encode())
	}
	return resp, err
}

// showPage adds the tasks at places to resp, and returns the number of places that it used: it stops before the answer becomes larger than clients
// accept.
func (s *Service) showPage(ctx context.Context, p auth.Principal, resp *a2apb.ListTasksResponse, places []place, v view) (shown int, err error) {
	bytes := 0
	for i, at := range places {
		t, err := s.store.TaskPart(ctx, orchestrator.Key{Tenant: p.Tenant, ID: at.id}, v.part())
		if fault.KindOf(err) == fault.NotFound || fault.ReasonOf(err) == orchestrator.ReasonUnreadable {
			continue // it has just expired; or only the list of the task API can show it
		}
		if err != nil {
			return i, err
		}
		taskrpc.HoldMessage(p, &t)
		task := taskToA2A(&t, v)
		if bytes += proto.Size(task); bytes > taskrpc.PageBytes && len(resp.GetTasks()) > 0 {
			return i, nil
		}
		resp.Tasks = append(resp.Tasks, task)
	}
	return len(places), nil
}

// places returns the places of the matching tasks, in order.
func (s *Service) places(ctx context.Context, p auth.Principal, req *a2apb.ListTasksRequest) ([]place, error) {
	var all []place
	var next string
	for seen := 0; seen < maxListed; {
		page, more, err := s.store.Tasks(ctx, p.Tenant, next, scanPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if t := &page[i]; taskrpc.MaySee(p, t) && selected(t, req) {
				all = append(all, place{t.UpdateTime.UnixMicro(), t.ID})
			}
		}
		seen += len(page)
		if next = more; next == "" {
			break
		}
	}
	slices.SortFunc(all, place.compare)
	return all, nil
}

func selected(t *orchestrator.Task, req *a2apb.ListTasksRequest) bool {
	switch {
	case req.GetTenant() != "" && t.Agent != req.GetTenant():
		return false
	case req.GetContextId() != "" && t.ContextID != req.GetContextId():
		return false
	case req.GetStatus() != a2apb.TaskState_TASK_STATE_UNSPECIFIED && t.State != req.GetStatus():
		return false
	default:
		return req.GetStatusTimestampAfter() == nil || !t.UpdateTime.Before(since(req)) // from that time on, it included
	}
}

func since(req *a2apb.ListTasksRequest) time.Time { return req.GetStatusTimestampAfter().AsTime() }

// indexAfter returns the index of the first task after a place.
func indexAfter(all []place, after place) int {
	i, found := slices.BinarySearchFunc(all, after, place.compare)
	if found {
		i++
	}
	return i
}

func (p place) encode() []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(p.changed)), p.id...) //nolint:gosec // read back by cursor
}

// cursor returns the last place of the page before, or nil for the first page.
func (s *Service) cursor(scope, token string) (*place, error) {
	raw, err := s.pages.Decode(scope, token)
	if err != nil || len(raw) < 8 {
		return nil, err
	}
	return &place{int64(binary.BigEndian.Uint64(raw)), string(raw[8:])}, nil //nolint:gosec // written by encode
}
