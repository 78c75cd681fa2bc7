// Package console is the console at /, for people who operate Quorate: static files, which the browser gets without a credential. Everything that they
// show comes over the REST API with the key that the user types in, so the console may do what its user may do, and is no second door.
//
// The files are written by hand and served as they are, without a framework or a build. What they show was written by strangers: cards, the words of
// agents, artifacts. So it is put into the page as text only, and the headers make the browser refuse everything else: scripts other than these files,
// markup from strings, frames, requests to other servers.
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
	"time"
)

//go:embed static
var static embed.FS

const (
	index = "index.html" // at /
	below = "/console/"  // the other files
)

// types are the media types of the files by their suffix. Those that the machine knows may differ.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// headers go with each file. Browsers ask for a file each time, and get 304 if it is the same: a console of another version than the server would be
// wrong about the API.
var headers = map[string]string{
	"Cache-Control": "no-cache",
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// Handlers returns a handler for each file, by its pattern for http.ServeMux.
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
		f := file{name: name, mediaType: types[path.Ext(name)], etag: etag(content), content: content}
		if f.mediaType == "" {
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

// file is a file of the console.
type file struct {
	name, mediaType, etag string

	content []byte
}

// ServeHTTP answers with the file, or with 304 if the browser has it already.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", f.mediaType)
	w.Header().Set("ETag", f.etag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.content))
}
