package storetest_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// The store that simulations run on keeps what every store promises, apart from the limit on an item's size.
func TestMemory(t *testing.T) {
	storetest.RunExceptLimits(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		return &storetest.Memory{}
	})
	storetest.RunContexts(t, func(t *testing.T) orchestrator.ContextStore {
		t.Helper()
		return &storetest.Memory{}
	})
}

func TestMemoryLeases(t *testing.T) {
	storetest.RunLeases(t, func(t *testing.T) orchestrator.LeaseStore {
		t.Helper()
		return &storetest.MemoryLeases{}
	})
}
