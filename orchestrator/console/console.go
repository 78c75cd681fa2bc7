// Package console is the console at /, for those who run Quorate: static files that the browser gets without a credential. All that they show
// comes over the REST API with the key that the user types, so the console may do what its user may do and is no second door.
//
// The files are written by hand and served as they are: no framework, no build. What they show was written by strangers (cards, what agents
// say, artifacts). So it is put into the page as text only, and the headers have the browser refuse everything else: a script that is none of
// these files, markup from a string, a frame, a request to another server.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed static
var static embed.FS

const (
	index = "index.html" // is at /
	below = "/console/"  // where the other files are
)

// types are the media types of the files. The machine's own list may know others.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// headers go with each file. A file is asked for anew each time, and answered with 304 while it is the same: a console of another version than
// the server's would be wrong about the API.
var headers = map[string]string{
	"Cache-Control": "no-cache",
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// Handlers returns what serves each file, by its pattern in the form of http.ServeMux. What is at no pattern is not the console's.
func Handlers() (map[string]http.Handler, error) {
	files, err := fs.Sub(static, "static")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		return nil, err
	}
	handlers := make(map[string]http.Handler, len(names))
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		f := file{name: name, content: content, etag: etag(content)}
		if types[path.Ext(name)] == "" {
			return nil, fmt.Errorf("the console's file %s is of no known type", name)
		}
		handlers[pattern(name)] = f
	}
	return handlers, nil
}

func pattern(name string) string {
	if name == index {
		return "GET /{$}"
	}
	return "GET " + below + name
}

func etag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

type file struct {
	name    string
	content []byte
	etag    string
}

// ServeHTTP answers with the file, or that it is still the one the browser has.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", types[strings.ToLower(path.Ext(f.name))])
	w.Header().Set("ETag", f.etag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.content))
}
