package rpc

import (
	"context"
	"fmt"
	"slices"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// ListConsultations lists the consultations of a task, oldest first.
func (s *service) ListConsultations(ctx context.Context, req *consultationv1.ListConsultationsRequest) (*consultationv1.ListConsultationsResponse, error) {
	p, tasks, err := s.visible(ctx, req.GetTaskId(), auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer)
	if err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("consultations %q %q %q", p.Tenant, p.Name, req.GetTaskId())
	cursor, err := s.pages.Decode(scope, req.GetPageToken())
	if err != nil {
		return nil, err
	}
	var list []consultation.Consultation
	for _, t := range tasks {
		if t.TaskID != req.GetTaskId() { // that is done by others, and has no consultations itself
			continue
		}
		if list, err = s.ledger.Consultations(ctx, p.Tenant, t.TaskID, t.TaskTime); err != nil {
			return nil, err
		}
	}
	list, err = behind(list, string(cursor))
	if err != nil {
		return nil, err
	}
	resp := &consultationv1.ListConsultationsResponse{}
	if size := page.Size(req.GetPageSize()); len(list) > size {
		list = list[:size]
		resp.NextPageToken = s.pages.Encode(scope, []byte(list[size-1].ID))
	}
	for _, c := range list {
		resp.Consultations = append(resp.Consultations, consultationToProto(c))
	}
	return resp, nil
}

// behind returns the consultations after the one with the id, or all for an empty id. If that one is gone, with its task, the result is an
// InvalidArgument fault with the reason PAGE_TOKEN_INVALID.
func behind(list []consultation.Consultation, id string) ([]consultation.Consultation, error) {
	if id == "" {
		return list, nil
	}
	at := slices.IndexFunc(list, func(c consultation.Consultation) bool { return c.ID == id })
	if at < 0 {
		return nil, fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "what the page before ended with is no longer there; start from the first page")
	}
	return list[at+1:], nil
}
