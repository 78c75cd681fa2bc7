package rpc_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

func TestConsultationsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	var want []string
	for i := range 7 {
		c, err := e.ledger.Issue(t.Context(), consultation.Question{
			Tenant: auth.DefaultTenant, TaskID: "task-1", SourceAgent: "coder", Requirement: requirement,
			SubjectDigest: consultation.Digest([]consultation.Part{{Kind: "text", Text: strconv.Itoa(i)}}),
		})
		if err != nil {
			t.Fatalf("Issue() = %v, want no error", err)
		}
		want = append(want, c.ID)
	}
	ctx := as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher)
	req := &consultationv1.ListConsultationsRequest{TaskId: "task-1", PageSize: 3}
	var got []string
	var sizes []int
	for {
		resp, err := s.ListConsultations(ctx, req)
		if err != nil {
			t.Fatalf("ListConsultations(%v) = %v, want no error", req, err)
		}
		for _, c := range resp.GetConsultations() {
			got = append(got, c.GetId())
		}
		sizes = append(sizes, len(resp.GetConsultations()))
		if resp.GetNextPageToken() == "" {
			break
		}
		req.PageToken = resp.GetNextPageToken()
	}
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{3, 3, 1}) {
		t.Errorf("ListConsultations() = %v in pages of %v, want %v in 3, 3 and 1", got, sizes, want)
	}
	if whole, err := s.ListConsultations(ctx, &consultationv1.ListConsultationsRequest{TaskId: "task-1", PageSize: 7}); err != nil || len(whole.GetConsultations()) != 7 || whole.GetNextPageToken() != "" {
		t.Errorf("ListConsultations() of all = %d and the token %q, %v, want 7 and none", len(whole.GetConsultations()), whole.GetNextPageToken(), err)
	}
	without, _ := newService(t)
	if _, err := without.ListConsultations(ctx, req); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
		t.Errorf("ListConsultations() once the consultations are gone = %v, want PAGE_TOKEN_INVALID, since a first page would begin anew", err)
	}
	for name, test := range map[string]struct{ caller, task string }{"another caller's": {"ana", "task-1"}, "another task's": {"ci", "plan-1"}} {
		req := &consultationv1.ListConsultationsRequest{TaskId: test.task, PageToken: req.GetPageToken()}
		if _, err := s.ListConsultations(as(t, auth.DefaultTenant, test.caller, auth.RoleDispatcher), req); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
			t.Errorf("ListConsultations() with %s token = %v, want PAGE_TOKEN_INVALID", name, err)
		}
	}
}

// TestConsultationsOfAnEarlierTaskOfTheSameIDAreNotListed has an id come again, as that of a repeated request does once its first task has been removed.
func TestConsultationsOfAnEarlierTaskOfTheSameIDAreNotListed(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	first := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e.taken = first.Add(31 * 24 * time.Hour)
	var last consultation.Consultation
	for _, at := range []time.Time{first, e.taken} {
		var err error
		if last, err = e.ledger.Issue(t.Context(), consultation.Question{
			Tenant: auth.DefaultTenant, TaskID: "task-1", TaskTime: at, SourceAgent: "coder", Requirement: requirement, SubjectDigest: consultation.Digest(nil),
		}); err != nil {
			t.Fatalf("Issue() = %v, want no error", err)
		}
	}
	resp, err := s.ListConsultations(as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher), &consultationv1.ListConsultationsRequest{TaskId: "task-1"})
	if err != nil || len(resp.GetConsultations()) != 1 || resp.GetConsultations()[0].GetId() != last.ID {
		t.Errorf("ListConsultations() = %v, %v, want only %s", resp, err, last.ID)
	}
}

// TestATaskThatOthersDoHasNoConsultations has an earlier task of its id that had one.
func TestATaskThatOthersDoHasNoConsultations(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	if _, err := e.ledger.Issue(t.Context(), consultation.Question{
		Tenant: auth.DefaultTenant, TaskID: "plan-1", TaskTime: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), SourceAgent: "coder", Requirement: requirement,
		SubjectDigest: consultation.Digest(nil),
	}); err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	resp, err := s.ListConsultations(as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher), &consultationv1.ListConsultationsRequest{TaskId: "plan-1"})
	if err != nil || len(resp.GetConsultations()) != 0 {
		t.Errorf("ListConsultations() = %v, %v, want none", resp, err)
	}
}
