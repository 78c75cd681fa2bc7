package rpc

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// WatchAgents streams the caller's agents and every change of them.
func (s *Server) WatchAgents(req *registryv1.WatchAgentsRequest, stream grpc.ServerStreamingServer[registryv1.AgentEvent]) error {
	ctx := stream.Context()
	p, err := caller(ctx)
	if err != nil {
		return err
	}
	options := registry.WatchOptions{Revision: req.Revision, SkipSnapshot: req.GetSkipSnapshot()}
	if req.GetWait() != nil {
		options.Wait = new(req.GetWait().AsDuration())
	}
	last, err := rpcserver.LastEventID(ctx)
	if err != nil {
		return err
	}
	if last > 0 { // 0 is within a snapshot, which then begins anew
		options.Revision = new(int64(last)) //nolint:gosec // it has 63 bits
	}
	err = s.registry.Watch(ctx, p.Tenant, options, func(event registry.Event) error {
		out, err := eventToProto(&event)
		if err != nil {
			return err
		}
		return stream.Send(out)
	})
	if fault.ReasonOf(err) == "REVISION_GONE" { // the code that AIPs use, for which there is no kind of fault
		st := rpcfault.Status(err).Proto()
		st.Code = int32(codes.OutOfRange)
		return status.FromProto(st).Err()
	}
	return err
}

func eventToProto(e *registry.Event) (*registryv1.AgentEvent, error) {
	out := &registryv1.AgentEvent{
		Sequence: e.Revision, Type: e.Type, AgentName: e.Agent, Status: e.Status, EventTime: timeToProto(e.Time),
	}
	if e.State == nil {
		return out, nil
	}
	agent, err := agentToProto(e.State)
	out.Agent = agent
	return out, err
}
