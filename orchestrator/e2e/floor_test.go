package e2e_test

import (
	"context"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// floor is the minimal proxy with grpc-go and net/http: it passes bytes on and does nothing else. Quorate is measured beside it, because on a busy machine
// both take a multiple of what they take on an idle one.
type floor struct{ agent addresses }

const sendMessage = "/lf.a2a.v1.A2AService/SendMessage"

// serve serves until the process is killed.
func (f floor) serve(over listeners) error {
	conn, err := grpc.NewClient(f.agent.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "lf.a2a.v1.A2AService", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "SendMessage",
		Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			req, resp := &emptypb.Empty{}, &emptypb.Empty{}
			if err := decode(req); err != nil {
				return nil, err
			}
			return resp, conn.Invoke(ctx, sendMessage, req, resp)
		},
	}}}, nil)
	go func() { _ = http.Serve(over[1], f.passer()) }()
	return server.Serve(over[0])
}

// passer passes bodies on.
func (f floor) passer() http.Handler {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, f.agent.HTTP, r.Body)
		var resp *http.Response
		if err == nil {
			req.ContentLength, req.Header = r.ContentLength, r.Header
			resp, err = client.Do(req)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		_, _ = io.Copy(w, resp.Body)
	})
}
