package rpcserver

import "net/http"

// Refuser is a handler whose clients expect errors in another form than those of REST. It also answers for what the Server refuses instead of calling it, and for its
// panics.
type Refuser interface {
	http.Handler
	// Refuse answers a request with an error and the HTTP status for it.
	Refuse(w http.ResponseWriter, r *http.Request, httpCode int, err error)
}

// refuse answers a request that its handler does not get, in the form of the handler's errors.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, httpCode int, err error) {
	h, _ := s.mux.Handler(r)
	if x, ok := h.(Refuser); ok {
		x.Refuse(w, r, httpCode, err)
		return
	}
	writeErrorCode(w, r, httpCode, err)
}
