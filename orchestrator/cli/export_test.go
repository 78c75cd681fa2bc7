package cli

// Relative is a helper that a test without a terminal cannot reach through Main.
var Relative = relative
