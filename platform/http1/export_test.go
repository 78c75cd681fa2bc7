package http1

// Plain returns the size of the plain request that data begins with; it is not ok when there is none, or not all of it.
func Plain(data []byte) (size int, ok bool) {
	size, v := look(data)
	return size, v == plain
}
