package e2e_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// The floor is the least that a hop over gRPC can be: a process that passes bytes on and does nothing else. What Quorate takes is measured beside it, since
// on a machine with other work both take a multiple of what they take on a quiet one.
var floorOf = flag.String("floor", "", "be a floor in front of this address")

const sendMessage = "/lf.a2a.v1.A2AService/SendMessage"

// runFloor serves until the process is killed.
func runFloor() int {
	conn, err := grpc.NewClient(*floorOf, grpc.WithTransportCredentials(insecure.NewCredentials()))
	var l net.Listener
	if err == nil {
		l, err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	}
	if err == nil {
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
		_, _ = fmt.Fprintln(os.Stdout, l.Addr())
		err = server.Serve(l)
	}
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

// startFloor runs a floor in a process of its own and returns it with its address.
func startFloor(b *testing.B, agent string) (*instance, string) {
	b.Helper()
	i := &instance{t: b, done: make(chan struct{})}
	i.cmd = exec.CommandContext(context.WithoutCancel(b.Context()), os.Args[0], "-floor", agent)
	out, err := i.cmd.StdoutPipe()
	if err == nil {
		err = i.cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		i.err = i.cmd.Wait()
		close(i.done)
	}()
	b.Cleanup(i.kill)
	if err != nil {
		b.Fatalf("the floor does not start: %v", err)
	}
	return i, strings.TrimSpace(line)
}
