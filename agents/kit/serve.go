package kit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	a2alog "github.com/a2aproject/a2a-go/v2/log"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/agents/kit/board"
)

// Limits of the listener. JSON encodes raw parts in base64, which makes them a third longer.
const (
	maxGRPCBytes    = board.MaxBytes + 1<<20
	maxBodyBytes    = board.MaxBytes*4/3 + 1<<20
	maxHeaderBytes  = 64 << 10
	maxStreams      = 2048 // per connection; Quorate keeps one open for each task
	headerTimeout   = 10 * time.Second
	bodyTimeout     = time.Minute // except over gRPC, whose streams have no end of their own
	idleTimeout     = 2 * time.Minute
	jobsTimeout     = 2 * time.Second
	shutdownTimeout = 4 * time.Second
	streamKeepAlive = 15 * time.Second
)

// serve serves on the listener until ctx is done.
func (a *Agent) serve(ctx context.Context) error {
	rpc := grpc.NewServer(grpc.MaxRecvMsgSize(maxGRPCBytes), grpc.WaitForHandlers(true),
		grpc.UnaryInterceptor(a.recoverUnary), grpc.StreamInterceptor(a.recoverStream))
	a2agrpc.NewHandler(a.board).RegisterWith(rpc)
	server := &http.Server{
		Handler:           a.handler(rpc),
		Protocols:         new(http.Protocols),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(a.config.Logger.Handler(), slog.LevelWarn),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)

	broken := make(chan error, 1)
	go func() { broken <- server.Serve(a.config.Listener) }()
	a.config.Logger.InfoContext(ctx, "agent is serving", slog.String("url", a.URL()))
	select {
	case err := <-broken:
		return errors.Join(fmt.Errorf("serving: %w", err), a.stopJobs(ctx))
	case <-ctx.Done():
	}
	err := a.stopJobs(ctx)
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout-jobsTimeout)
	defer cancel()
	if server.Shutdown(stopCtx) != nil { // a client that keeps its connection open is no error of ours
		_ = server.Close()
	}
	rpc.Stop()
	if end := <-broken; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(fmt.Errorf("serving: %w", end), err)
	}
	return err
}

// stopJobs ends the jobs, and then the streams of their watchers, for which Shutdown would wait.
func (a *Agent) stopJobs(ctx context.Context) error {
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), jobsTimeout)
	defer cancel()
	if err := a.board.Stop(stopCtx); err != nil {
		return fmt.Errorf("waiting for the handlers to return: %w", err)
	}
	return nil
}

// handler routes the three bindings, the card and the ping.
func (a *Agent) handler(rpc *grpc.Server) http.Handler {
	keepAlive := a2asrv.WithTransportKeepAlive(streamKeepAlive)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+wellKnownCard, a.serveCard(a.cardJSON))
	mux.HandleFunc("GET "+legacyCard, a.serveCard(a.oldJSON))
	mux.HandleFunc("GET "+pingPath, a.servePing)
	mux.Handle(restPath+"/", http.StripPrefix(restPath, plainErrors(a2asrv.NewRESTHandler(a.board, keepAlive))))
	mux.Handle("POST /{$}", jsonRPC(a2asrv.NewJSONRPCHandler(a.board, keepAlive), a2av0.NewJSONRPCHandler(a.board, keepAlive)))
	inner := unencoded(mux)
	if a.config.Wrap != nil {
		inner = a.config.Wrap(inner)
	}
	web := a.checkHost(http.NewCrossOriginProtection().Handler(limited(inner))) // pages in a browser must not use a local agent
	return a.requireToken(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(a2alog.AttachLogger(r.Context(), a.config.Logger)) //nolint:forbidigo // the SDK's package of that name, which takes a slog logger
		if isGRPC(r) {
			rpc.ServeHTTP(w, r)
			return
		}
		web.ServeHTTP(w, r)
	}))
}

// limited bounds the body and the time to send it, and accepts the protocol version as a query parameter, as section 3.6.1 of the specification allows.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 { // the server clears the deadline when the body has ended
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
		}
		if r.ContentLength > maxBodyBytes {
			http.Error(w, fmt.Sprintf("the body is longer than %d MiB", maxBodyBytes>>20), http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		if v := r.URL.Query().Get(a2a.SvcParamVersion); v != "" && r.Header.Get(a2a.SvcParamVersion) == "" {
			r.Header.Set(a2a.SvcParamVersion, v)
		}
		next.ServeHTTP(w, r)
	})
}

// unencoded refuses bodies that are compressed. The SDK would read them as they are, and call them no JSON.
func unencoded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") { // RFC 9110, section 8.4.1
			w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
			http.Error(w, fmt.Sprintf("the content encoding %.100q is not supported; send the body without one", coding), http.StatusUnsupportedMediaType)
			return
		}
		next.ServeHTTP(w, r)
	})
}
