package rpcserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

const (
	bodyTimeout  = time.Minute
	drainTimeout = 5 * time.Second
	drainBytes   = 64 << 20
)

// maxUnknown is the largest body, in bytes, that is decoded before the caller is authenticated. A decoded body can take fifty times its size in memory, and
// to say what is wrong in 64 KiB takes a quarter of a second.
const maxUnknown = 1 << 10

// checkBody authenticates the caller of a request whose body is larger than 1 KiB or of unknown length, and notes it in the request, or returns the error when
// that fails; the body must not be decoded then. It has been read and discarded, since many clients read an answer only after they have sent everything.
func (s *Server) checkBody(r *http.Request) error {
	if r.ContentLength >= 0 && r.ContentLength <= maxUnknown {
		return nil
	}
	p, err := s.admit(r.Context(), r.Header.Values("Authorization"), auth.Rule{})
	if err == nil {
		nameSender(r, callerOf(p))
		return nil
	}
	s.tellRefused(r.Context(), pathOf(r), p, err)
	if r.Header.Get("Expect") == "" {
		_, _ = io.Copy(io.Discard, r.Body) // limitBody bounds its size and time
	}
	return err
}

// beforeREST refuses large bodies of unauthenticated callers, and compressed bodies, which nothing here decompresses. It forbids browsers to guess
// the content type of an answer.
func (s *Server) beforeREST(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") { // RFC 9110, section 8.4.1
			w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
			writeErrorCode(w, r, http.StatusUnsupportedMediaType, fault.New(fault.InvalidArgument, "CONTENT_ENCODING_UNSUPPORTED", "the body has the content encoding %.100q; send it without one", coding))
			return
		}
		if err := s.checkBody(r); err != nil {
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), observedKey{}, r)))
	})
}

// limitBody bounds the size of each body and the time to send it, whether a handler reads it or not: what no handler has read, net/http reads before it
// answers.
func (s *Server) limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := s.limitOf(r)
		body := &limitedBody{ReadCloser: http.MaxBytesReader(w, r.Body, limit), raw: r.Body, control: http.NewResponseController(w), limit: limit}
		if r.ContentLength > limit {
			s.refuse(w, r, http.StatusRequestEntityTooLarge, body.discard(w, r))
			return
		}
		r.Body = body
		if r.ContentLength != 0 {
			_ = body.control.SetReadDeadline(time.Now().Add(bodyTimeout)) // net/http clears it when the body has ended; a recorder in a test has none
		}
		next.ServeHTTP(w, r)
	})
}

// limitOf returns how many bytes the body of a request may have.
func (s *Server) limitOf(r *http.Request) int64 {
	if len(s.discarding) == 0 || r.ContentLength >= 0 && r.ContentLength <= s.opts.MaxBodyBytes || strings.HasPrefix(r.URL.Path, apiPath) {
		return s.opts.MaxBodyBytes
	}
	if _, pattern := s.mux.Handler(r); slices.Contains(s.discarding, pattern) {
		return drainBytes
	}
	return s.opts.MaxBodyBytes
}

// limitedBody remembers why it could not be read, because the gateway reduces the error to its text.
type limitedBody struct {
	io.ReadCloser
	raw     io.Reader
	control *http.ResponseController
	limit   int64
	path    map[string]string // values of the path, by field
	failed  error
}

// Read reads until the limit, and fails when the client takes longer than bodyTimeout.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.failed = err
	}
	return n, err
}

// readAhead reads the whole body, which is then read from memory, and returns its size.
func (b *limitedBody) readAhead(ctx context.Context, t *turns) (size int, err error) {
	content, err := t.readAll(ctx, b)
	rest := io.Reader(bytes.NewReader(content))
	if err != nil {
		rest = io.MultiReader(rest, failingReader{err})
	}
	b.ReadCloser = struct {
		io.Reader
		io.Closer
	}{rest, b.ReadCloser}
	return len(content), err
}

// failingReader fails.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// agree fails if message, which the body is, says something else than the path, whose values replace those of the body.
func (b *limitedBody) agree(message protoreflect.Message) error {
	for name, value := range b.path {
		field := message.Descriptor().Fields().ByTextName(name)
		if field == nil || field.Kind() != protoreflect.StringKind {
			continue
		}
		if said := message.Get(field).String(); said != "" && said != value {
			b.failed = fault.Invalid(name, "PATH_AMBIGUOUS", "%s: the path says %q and the body %q; leave it out of the body", name, fault.Clip(value), fault.Clip(said))
		}
	}
	return b.failed
}

// answer says why the body could not be read. The error's own text may be that of the connection, with its addresses.
func (b *limitedBody) answer(w http.ResponseWriter, r *http.Request) {
	_, exceeded := errors.AsType[*http.MaxBytesError](b.failed)
	refused, ours := errors.AsType[*fault.Error](b.failed)
	switch {
	case ours:
		writeError(w, r, refused)
	case exceeded:
		writeErrorCode(w, r, http.StatusRequestEntityTooLarge, b.discard(w, r))
	case errors.Is(b.failed, os.ErrDeadlineExceeded):
		writeError(w, r, fault.New(fault.InvalidArgument, "REQUEST_UNREADABLE", "the request cannot be read: it did not come within %s", bodyTimeout))
	case errors.Is(b.failed, io.ErrUnexpectedEOF):
		writeError(w, r, fault.New(fault.InvalidArgument, "BODY_INCOMPLETE", "the body ended early"))
	default:
		writeError(w, r, fault.New(fault.InvalidArgument, "BODY_UNREADABLE", "the body could not be read"))
	}
}

// discard discards a body over the limit, within bounds, because many clients read an answer only after they have sent everything; a client that waits for 100
// Continue is answered at once. It returns the error to answer with.
func (b *limitedBody) discard(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Expect") == "" {
		_ = b.control.SetReadDeadline(time.Now().Add(drainTimeout))
		_, _ = io.CopyN(io.Discard, b.raw, drainBytes) // it is thrown away
	}
	w.Header().Set("Connection", "close")
	return fault.New(fault.InvalidArgument, "BODY_TOO_LARGE", "the body is larger than %d bytes", b.limit)
}
