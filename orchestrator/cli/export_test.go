package cli

// Helpers that a test without a terminal cannot reach through Main.
var (
	Escape   = escape
	Relative = relative
)
