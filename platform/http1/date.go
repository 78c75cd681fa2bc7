package http1

import (
	"net/http"
	"sync/atomic"
	"time"
)

// stamp is a second, formatted for the header Date.
type stamp struct {
	second int64
	text   string
}

var lastStamp atomic.Pointer[stamp]

// date returns the current time for the header Date. It is formatted once per second.
func date() string {
	now := time.Now()
	last := lastStamp.Load()
	if last == nil || last.second != now.Unix() {
		last = &stamp{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastStamp.Store(last)
	}
	return last.text
}
