package serve

// CheckSpace is what a test cannot reach without a disk that is full.
var CheckSpace = checkSpace
