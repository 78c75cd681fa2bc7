package agentclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// archive is an agent that lists a task on each of its pages. That on page n has the messages n and n again.
type archive struct {
	a2apb.UnimplementedA2AServiceServer
	pages int
}

func (a archive) ListTasks(_ context.Context, r *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
	page, _ := strconv.Atoi(r.GetPageToken()) // the first has none
	id := strconv.Itoa(page)
	list := &a2apb.ListTasksResponse{Tasks: []*a2apb.Task{{Id: "task " + id, History: []*a2apb.Message{{MessageId: id}, {MessageId: id + " again"}}}}}
	if page+1 < a.pages {
		list.NextPageToken = strconv.Itoa(page + 1)
	}
	return list, nil
}

// ServeHTTP takes the page token of JSON-RPC from the parameters and that of HTTP+JSON from the query.
func (a archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct{ Params struct{ PageToken string } }
	_ = json.NewDecoder(r.Body).Decode(&call) // a GET has none
	list, _ := a.ListTasks(r.Context(), &a2apb.ListTasksRequest{PageToken: call.Params.PageToken + r.URL.Query().Get("pageToken")})
	body, _ := protojson.Marshal(list)
	if r.Method == http.MethodPost {
		body = []byte(`{"jsonrpc":"2.0","id":"1","result":` + string(body) + `}`)
	}
	_, _ = w.Write(body)
}

// TestATaskIsFoundByItsMessages looks on the pages of agents that list a few tasks, and too many.
func TestATaskIsFoundByItsMessages(t *testing.T) {
	t.Parallel()
	for _, binding := range bindings {
		for _, test := range []struct {
			pages         int
			message, task string
			reason        string
		}{
			{3, "0", "task 0", ""},
			{3, "2 again", "task 2", ""},
			{3, "3", "", ""},
			{10, "none", "", ""},
			{11, "9", "task 9", ""},
			{11, "10", "", agentclient.ReasonRefused},
		} {
			agent := archive{pages: test.pages}
			server := httptest.NewServer(agent)
			t.Cleanup(server.Close)
			url := server.URL
			if binding == agentcard.BindingGRPC {
				url = serveGRPC(t, agent)
			}
			c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0"}}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.(agentclient.Finder).Find(t.Context(), test.message, time.Unix(1, 0))
			if got.GetId() != test.task || fault.ReasonOf(err) != test.reason {
				t.Errorf("Find(%s) on %d pages over %s = %v, %v, want %q or the reason %q", test.message, test.pages, binding, got, err, test.task, test.reason)
			}
		}
	}
}
