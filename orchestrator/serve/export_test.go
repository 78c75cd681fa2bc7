package serve

// CheckSpace is what a test cannot reach without a disk that is full.
var CheckSpace = checkSpace

// Connections is what a test cannot see without another limit on its own open files.
var Connections = (*Calls).connections
