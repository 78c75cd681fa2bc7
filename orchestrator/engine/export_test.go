package engine

// PollsKept returns for how many agents it is kept when they are asked next about a task that a scan has found.
func PollsKept(e *Engine) int {
	e.firstPolls.mu.Lock()
	defer e.firstPolls.mu.Unlock()
	return len(e.firstPolls.at)
}

// FreshKept returns of how many tasks it is kept that they were accepted together with the intent to send, and not sent yet.
func FreshKept(e *Engine) int {
	e.fresh.mu.Lock()
	defer e.fresh.mu.Unlock()
	return len(e.fresh.tasks)
}
