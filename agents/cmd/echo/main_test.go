package main

import (
	"context"
	"strings"
	"testing"
)

func TestALogIsNotNeeded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if err := run(ctx, nil, &out); err != nil || !strings.HasPrefix(out.String(), "http://127.0.0.1:") {
		t.Errorf("run() = %v and printed %q, want no error and the card's URL", err, out.String())
	}
}
