package agentclient

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/grpcwire"
)

// Finder is a Client that can look for the task that a message began.
type Finder interface {
	// Find returns the task that has the message in its history, among the agent's tasks with changes since a time, or nil when there is none. It
	// returns an error if the agent does not list its tasks, or lists too many.
	Find(ctx context.Context, messageID string, since time.Time) (*a2apb.Task, error)
}

var (
	_ Finder = (*grpcClient)(nil)
	_ Finder = (*restClient)(nil)
	_ Finder = (*jsonrpcClient)(nil)
)

// Limits of searching an agent's list.
const (
	findPage    = 100
	findPages   = 10
	findHistory = 20 // the first message is wanted, soon after it was sent
)

// NotTaken reports whether an agent that returned err certainly did not accept the message: there was no connection, it refused to begin the call,
// or it asked for the message later.
func NotTaken(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	if _, ok := errors.AsType[*grpcwire.ConnectError](err); ok || errors.Is(err, grpcwire.ErrNotBegun) {
		return true
	}
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.RetryAfter > 0
}

// find searches an agent's list page by page.
func find(messageID string, since time.Time, list func(*a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error)) (*a2apb.Task, error) {
	size, history := int32(findPage), int32(findHistory)
	req := &a2apb.ListTasksRequest{PageSize: &size, HistoryLength: &history, StatusTimestampAfter: timestamppb.New(since)}
	for range findPages {
		page, err := list(req)
		if err != nil {
			return nil, err
		}
		for _, t := range page.GetTasks() {
			for _, m := range t.GetHistory() {
				if m.GetMessageId() == messageID {
					return t, nil
				}
			}
		}
		if req.PageToken = page.GetNextPageToken(); req.GetPageToken() == "" {
			return nil, nil //nolint:nilnil // the agent has no such task
		}
	}
	return nil, fault.New(fault.ResourceExhausted, ReasonRefused, "the agent lists more than %d tasks", findPages*findPage)
}

// Find implements Finder.
func (c *grpcClient) Find(ctx context.Context, messageID string, since time.Time) (*a2apb.Task, error) {
	return find(messageID, since, func(req *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
		req.Tenant = c.tenant
		page := &a2apb.ListTasksResponse{}
		return page, c.call(ctx, a2apb.A2AService_ListTasks_FullMethodName, req, page)
	})
}

// Find implements Finder.
func (c *jsonrpcClient) Find(ctx context.Context, messageID string, since time.Time) (*a2apb.Task, error) {
	return find(messageID, since, func(req *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
		req.Tenant = c.tenant
		page := &a2apb.ListTasksResponse{}
		return page, c.call(ctx, "ListTasks", req, page)
	})
}

// Find implements Finder.
func (c *restClient) Find(ctx context.Context, messageID string, since time.Time) (*a2apb.Task, error) {
	return find(messageID, since, func(req *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
		query := url.Values{
			"pageSize": {strconv.Itoa(findPage)}, "historyLength": {strconv.Itoa(findHistory)}, "statusTimestampAfter": {since.UTC().Format(time.RFC3339Nano)},
		}
		if req.GetPageToken() != "" {
			query.Set("pageToken", req.GetPageToken())
		}
		page := &a2apb.ListTasksResponse{}
		return page, c.call(ctx, http.MethodGet, "/tasks?"+query.Encode(), nil, page)
	})
}
