package dev

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

//go:embed demosite
var demoFiles embed.FS

const maxSlow = 30 // seconds

// serveDemo serves the demo site: /article, /notes (which contains something that a reviewer must reject) and /slow?seconds=N, which delays its
// answer.
func serveDemo(ctx context.Context, l net.Listener) error {
	pages, err := fs.Sub(demoFiles, "demosite")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for path, file := range map[string]string{"/{$}": "index.html", "/article": "article.html", "/notes": "notes.html"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, pages, file) })
	}
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		seconds, err := strconv.Atoi(r.URL.Query().Get("seconds"))
		if err != nil || seconds < 0 || seconds > maxSlow {
			http.Error(w, "seconds must be a number from 0 to "+strconv.Itoa(maxSlow), http.StatusBadRequest)
			return
		}
		if pause.For(r.Context(), time.Duration(seconds)*time.Second) == nil {
			http.ServeFileFS(w, r, pages, "article.html")
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
