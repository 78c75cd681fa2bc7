package http1

import (
	"bytes"
	"strconv"
)

const (
	maxHead    = 8 << 10
	maxContent = 64 << 10
)

// verdict is the result of looking at the bytes read so far.
type verdict int

const (
	odd     verdict = iota // for net/http
	partial                // may become a plain request
	plain                  // begins with a plain request
)

var (
	lineEnd = []byte("\r\n")
	headEnd = []byte("\r\n\r\n")
)

// inspect examines the beginning of data, and returns the size of a plain request. Plain requests are a small part of the valid ones: any byte that could be
// interpreted in more than one way makes a request odd.
func inspect(data []byte) (size int, v verdict) {
	n := bytes.Index(data, headEnd)
	switch {
	case n > maxHead || n < 0 && len(data) > maxHead:
		return 0, odd
	case n < 0 && mayBegin(data):
		return 0, partial
	case n < 0:
		return 0, odd
	}
	length, ok := readHead(data[:n+len(lineEnd)])
	size = n + len(headEnd) + length
	switch {
	case !ok:
		return 0, odd
	case len(data) < size:
		return 0, partial
	}
	return size, plain
}

// mayBegin reports whether data can be the beginning of a plain request.
func mayBegin(data []byte) bool {
	for _, method := range []string{"POST /", "GET /"} {
		n := min(len(data), len(method))
		if string(data[:n]) == method[:n] {
			return true
		}
	}
	return false
}

// readHead returns the length of the content that follows a head. It is not ok if the request is odd.
func readHead(head []byte) (length int, ok bool) {
	line, fields, _ := bytes.Cut(head, lineEnd)
	line, post := bytes.CutPrefix(line, []byte("POST "))
	if !post {
		line, ok = bytes.CutPrefix(line, []byte("GET "))
	}
	if target, is11 := bytes.CutSuffix(line, []byte(" HTTP/1.1")); !is11 || !post && !ok || !plainTarget(target) {
		return 0, false
	}
	var seen fieldsSeen
	for len(fields) > 0 {
		if line, fields, _ = bytes.Cut(fields, lineEnd); !seen.take(line) {
			return 0, false
		}
	}
	return seen.length, seen.hosts == 1 && (seen.lengths == 1 && post || seen.lengths == 0 && !post)
}

// plainTarget reports whether a target is a path, optionally with a query.
func plainTarget(target []byte) bool {
	return bytes.HasPrefix(target, []byte("/")) && !bytes.HasPrefix(target, []byte("//")) && inTargets.all(target)
}

// fieldsSeen counts the relevant fields of a head, and has the length that they give.
type fieldsSeen struct{ hosts, lengths, length int }

// take reads a field and reports whether a plain request may have it.
func (s *fieldsSeen) take(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 || !inNames.all(name) || !inValues.all(value) {
		return false
	}
	value = bytes.Trim(value, " ")
	var lower [len("transfer-encoding")]byte // the longest relevant name
	if len(name) > len(lower) {
		return true
	}
	switch string(appendLower(lower[:0], name)) {
	case "host":
		s.hosts++
		return len(value) > 0 && inHosts.all(value)
	case "content-length":
		s.lengths++
		return s.takeLength(value)
	case "connection":
		return bytes.EqualFold(value, []byte("keep-alive"))
	case "expect", "http2-settings", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade":
		return false
	}
	return true
}

func appendLower(to, text []byte) []byte {
	for _, b := range text {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		to = append(to, b)
	}
	return to
}

func (s *fieldsSeen) takeLength(value []byte) bool {
	n, err := strconv.ParseUint(string(value), 10, 32) // digits only
	s.length = int(min(n, maxContent))
	return err == nil && n <= maxContent
}
