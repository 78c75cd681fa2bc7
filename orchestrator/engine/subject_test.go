package engine_test

import (
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAStepThatIsAboutToBeginIsNotJudged accepts a task that two agents do, which nobody works on yet.
func TestAStepThatIsAboutToBeginIsNotJudged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"one": {name: "one", skill: "work"}, "two": {name: "two", skill: "work"}}}
		work := s.boot()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, begun := range []bool{false, true} {
			list, err := s.engine.Subjects(t.Context(), tenant, task.ID)
			if err != nil || len(list) != 2 {
				t.Fatalf("Subjects() = %+v, %v, want those of two steps", list, err)
			}
			for _, judged := range list {
				if judged.NotBegun == begun || judged.SourceAgent == "" || (judged.TaskID == "") == begun {
					t.Errorf("Subjects() = %+v, want steps that have begun: %t", judged, begun)
				}
			}
			if !begun {
				work()
				s.minutes(2)
			}
		}
		s.stop()
	})
}
