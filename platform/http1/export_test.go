package http1

// Plain returns the size of the plain request at the beginning of data. It is not ok if there is none, or only a part of one.
func Plain(data []byte) (size int, ok bool) {
	size, v := inspect(data)
	return size, v == plain
}
