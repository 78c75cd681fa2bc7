package rpc_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// pages reads a list to its end and returns what is on each page.
func pages[T any](t *testing.T, read func(token string) ([]T, string, error), name func(T) string) (all [][]string) {
	t.Helper()
	token := ""
	for range 100 {
		items, next, err := read(token)
		if err != nil {
			t.Fatalf("page %d = %v, want no error", len(all), err)
		}
		var names []string
		for _, item := range items {
			names = append(names, name(item))
		}
		all = append(all, names)
		if token = next; token == "" {
			return all
		}
	}
	t.Fatal("the list has no end")
	return nil
}

// TestSkillsWithLongIDsAreReadPageByPage: a request takes page tokens of at most 2,048 characters, so a longer one would end the list for everybody.
func TestSkillsWithLongIDsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	var want []string
	for _, long := range []string{"<", "\u2028", "\U0001F600"} {
		id := strings.Repeat(long, 254)
		want = append(want, id+"-1", id+"-2")
	}
	register(admin(t), t, s, card(t, strings.Repeat("a", 64), want...))
	got, _ := paged(t, func(token string) (ids []string, next string, err error) {
		if len(token) > 2048 {
			t.Errorf("ListSkills() gave a token of %d characters, want at most 2048", len(token))
		}
		page, err := s.ListSkills(admin(t), &registryv1.ListSkillsRequest{PageSize: 1, PageToken: token})
		for _, skill := range page.GetSkills() {
			ids = append(ids, skill.GetId())
		}
		return ids, page.GetNextPageToken(), err
	})
	if !slices.Equal(got, want) {
		t.Errorf("ListSkills() page by page = %q, want %q", got, want)
	}
}

func TestAPageOfSkillsWithLongTagsEndsEarly(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	var want []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		req := card(t, name, "skill-"+name)
		tags := req.GetCard().GetFields()["skills"].GetListValue().GetValues()[0].GetStructValue().GetFields()["tags"].GetListValue()
		for i := range 200 {
			tags.Values = append(tags.Values, structpb.NewStringValue(strconv.Itoa(i)+strings.Repeat("\U0001F600", 250)))
		}
		register(admin(t), t, s, req)
		want = append(want, "skill-"+name)
	}
	got, sizes := paged(t, func(token string) (ids []string, next string, err error) {
		page, err := s.ListSkills(admin(t), &registryv1.ListSkillsRequest{PageToken: token})
		for _, skill := range page.GetSkills() {
			ids = append(ids, skill.GetId())
		}
		return ids, page.GetNextPageToken(), err
	})
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{5, 2}) {
		t.Errorf("ListSkills() = %v on pages of %v, want %v on pages of 5 and 2, which have about 1 MiB", got, sizes, want)
	}
}

func TestListsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	for _, name := range []string{"a", "b", "c"} {
		register(ctx, t, s, card(t, name, "fetch", "x-"+name))
	}
	if _, err := s.Heartbeat(ctx, &registryv1.HeartbeatRequest{Name: "b", Status: "available"}); err != nil {
		t.Fatalf("Heartbeat() = %v, want no error", err)
	}
	agents := pages(t, func(token string) ([]*registryv1.Agent, string, error) {
		res, err := s.ListAgents(ctx, &registryv1.ListAgentsRequest{PageSize: 2, PageToken: token})
		return res.GetAgents(), res.GetNextPageToken(), err
	}, (*registryv1.Agent).GetName)
	if diff := cmp.Diff([][]string{{"a", "b"}, {"c"}}, agents); diff != "" {
		t.Errorf("ListAgents(), difference (-want +got):\n%s", diff)
	}
	skills := pages(t, func(token string) ([]*registryv1.Skill, string, error) {
		res, err := s.ListSkills(ctx, &registryv1.ListSkillsRequest{PageSize: 4, PageToken: token})
		return res.GetSkills(), res.GetNextPageToken(), err
	}, func(s *registryv1.Skill) string { return s.GetId() + "/" + s.GetAgentName() + "/" + s.GetAgentStatus() })
	if diff := cmp.Diff([][]string{{"fetch/a/unknown", "fetch/b/available", "fetch/c/unknown", "x-a/a/unknown"}, {"x-b/b/available", "x-c/c/unknown"}}, skills); diff != "" {
		t.Errorf("ListSkills(), difference (-want +got):\n%s", diff)
	}
	for name, test := range map[string]struct {
		available bool
		want      [][]string
	}{"all": {false, [][]string{{"a"}, {"b"}, {"c"}}}, "available": {true, [][]string{{"b"}}}} {
		found := pages(t, func(token string) ([]*registryv1.Agent, string, error) {
			res, err := s.FindAgentsBySkill(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", AvailableOnly: test.available, PageSize: 1, PageToken: token})
			return res.GetAgents(), res.GetNextPageToken(), err
		}, (*registryv1.Agent).GetName)
		if diff := cmp.Diff(test.want, found); diff != "" {
			t.Errorf("FindAgentsBySkill(%s), difference (-want +got):\n%s", name, diff)
		}
	}
}

// TestAPageOfLargeMetadataFitsAMessage: an agent may write its own schemas, which are in every answer that has the agent.
func TestAPageOfLargeMetadataFitsAMessage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	schema := &structpb.Struct{Fields: map[string]*structpb.Value{"description": structpb.NewStringValue(strings.Repeat("d", 30<<10))}}
	var all []string
	for i := range 20 {
		req := card(t, "a"+strconv.Itoa(10+i), "fetch")
		req.Metadata = &registryv1.AgentMetadata{}
		for j := range 9 {
			req.Metadata.OutputSchemas = append(req.Metadata.OutputSchemas, &registryv1.OutputSchema{Name: strconv.Itoa(j), SemanticType: "document", JsonSchema: schema})
		}
		all = append(all, register(ctx, t, s, req).GetName())
	}
	fits := func(page proto.Message) {
		t.Helper()
		if size := proto.Size(page); size > 4<<20 {
			t.Errorf("a page of %T has %d bytes, want less than a gRPC message", page, size)
		}
	}
	for call, read := range map[string]func(token string) ([]string, string, error){
		"ListAgents": func(token string) ([]string, string, error) {
			page, err := s.ListAgents(ctx, &registryv1.ListAgentsRequest{PageToken: token})
			fits(page)
			return agentNames(page.GetAgents()), page.GetNextPageToken(), err
		},
		"SearchAgents": func(token string) (names []string, next string, err error) {
			page, err := s.SearchAgents(ctx, &registryv1.SearchAgentsRequest{Skill: "fetch", PageToken: token})
			fits(page)
			for _, match := range page.GetResults() {
				names = append(names, match.GetAgent().GetName())
			}
			return names, page.GetNextPageToken(), err
		},
	} {
		if got, _ := paged(t, read); !slices.Equal(got, all) {
			t.Errorf("%s() page by page = %v, want %v", call, got, all)
		}
	}
	if _, err := s.BatchGetAgents(ctx, &registryv1.BatchGetAgentsRequest{Names: all}); fault.ReasonOf(err) != "BATCH_TOO_LARGE" {
		t.Errorf("BatchGetAgents() of all = %v, want BATCH_TOO_LARGE", err)
	}
}

func agentNames(agents []*registryv1.Agent) (names []string) {
	for _, a := range agents {
		names = append(names, a.GetName())
	}
	return names
}

// TestAFilterByWhatOnlyHeartbeatsTellIsApplied is for filters for which the agents are not looked up in the directory.
func TestAFilterByWhatOnlyHeartbeatsTellIsApplied(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i, name := range []string{"a", "b", "c"} {
		register(admin(t), t, s, card(t, name, "s"))
		beat := &registryv1.HeartbeatRequest{Name: name, Status: "available", Capacity: int32(i)}
		if _, err := s.Heartbeat(admin(t), beat); err != nil {
			t.Fatalf("Heartbeat(%s) = %v, want no error", name, err)
		}
	}
	for filter, want := range map[string][]string{"capacity>=1": {"b", "c"}, "skills:s AND capacity>=2": {"c"}, "draining=true": nil} {
		resp, err := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{Filter: filter})
		if got := agentNames(resp.GetAgents()); err != nil || !slices.Equal(got, want) {
			t.Errorf("ListAgents(%s) = %v, %v, want %v", filter, got, err, want)
		}
	}
}

func TestAPageTokenIsGoodForItsListOnly(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	for _, name := range []string{"a", "b"} {
		register(ctx, t, s, card(t, name, "fetch"))
	}
	res, err := s.FindAgentsBySkill(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", PageSize: 1})
	if err != nil || res.GetNextPageToken() == "" {
		t.Fatalf("FindAgentsBySkill() = %v, %v, want a next page", res, err)
	}
	token := res.GetNextPageToken()
	find := func(ctx context.Context, req *registryv1.FindAgentsBySkillRequest) error {
		_, err := s.FindAgentsBySkill(ctx, req)
		return err
	}
	_, listErr := s.ListAgents(ctx, &registryv1.ListAgentsRequest{PageToken: token})
	for name, err := range map[string]error{
		"another skill":  find(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "x", PageToken: token}),
		"another tag":    find(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", Tag: "x", PageToken: token}),
		"another filter": find(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", AvailableOnly: true, PageToken: token}),
		"another tenant": find(as(t, "u", "root", auth.RoleAdmin), &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", PageToken: token}),
		"another method": listErr,
	} {
		if fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
			t.Errorf("a token for %s = %v, want PAGE_TOKEN_INVALID", name, err)
		}
	}
	if err := find(ctx, &registryv1.FindAgentsBySkillRequest{}); fault.ReasonOf(err) != "SKILL_MISSING" {
		t.Errorf("neither skill nor tag = %v, want SKILL_MISSING", err)
	}
	if err := find(ctx, &registryv1.FindAgentsBySkillRequest{SkillId: "fetch", PageSize: -1}); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("a negative page size = %v, want an invalid argument", err)
	}
}

func TestAPageOfLargeCardsEndsEarlyAndLosesNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	for i := range 12 {
		req := card(t, "a"+strconv.Itoa(10+i), "fetch")
		req.GetCard().Fields["description"] = structpb.NewStringValue(strings.Repeat("d", 200<<10))
		register(ctx, t, s, req)
	}
	largest, total := 0, 0
	for _, page := range pages(t, func(token string) ([]*registryv1.Agent, string, error) {
		res, err := s.ListAgents(ctx, &registryv1.ListAgentsRequest{PageSize: 1000, PageToken: token})
		largest = max(largest, proto.Size(res))
		return res.GetAgents(), res.GetNextPageToken(), err
	}, (*registryv1.Agent).GetName) {
		total += len(page)
	}
	if total != 12 || largest > 4<<20 {
		t.Errorf("ListAgents() = %d agents in pages of at most %d bytes, want 12 and less than a gRPC message", total, largest)
	}
}
