package cli

// Helpers that a test cannot reach through Main: without a terminal, and without a proxy, whose variables are read once.
var (
	Reach    = reach
	Relative = relative
)
