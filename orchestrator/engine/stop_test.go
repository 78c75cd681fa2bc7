package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestTheLeasesAreFreeOnceTheWorkHasEnded has an engine stop while it talks to an agent: who takes the task over must not find somebody at work on it.
func TestTheLeasesAreFreeOnceTheWorkHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		talks := &actor{name: "talks", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
			<-ends
			return errLost
		}}
		s := newStage(t, talks)
		s.start()
		<-time.After(time.Second)
		s.accept(talks.name, "r")
		<-time.After(time.Second)
		s.cancel()
		synctest.Wait()
		if nodes, err := s.leases.Nodes(t.Context()); err != nil || len(nodes) != 1 {
			t.Errorf("Nodes() while the agent is talked to = %v, %v, want the one that does", nodes, err)
		}
		close(ends)
		s.running.Wait()
		if nodes, err := s.leases.Nodes(t.Context()); err != nil || len(nodes) != 0 {
			t.Errorf("Nodes() at the end = %v, %v, want none", nodes, err)
		}
	})
}
