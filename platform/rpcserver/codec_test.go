package rpcserver_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/rpcserver"
)

// TestARequestOfTooManyValuesIsRefused sends lists of what is empty, which would take hundred times their length of memory.
func TestARequestOfTooManyValuesIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 2 << 20 })
	const more = bounded.MaxValues + 1
	request := &emptypb.Empty{}
	request.ProtoReflect().SetUnknown([]byte(strings.Repeat("\x3a\x00", more))) // others
	err := r.conn.Invoke(as(t, readerToken), createBook, request, &emptypb.Empty{})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "the request cannot be read: it has more than 262144 values") {
		t.Errorf("CreateBook() = %v, want to be told that there are too many values", err)
	}
	body := `{"others":[` + strings.Repeat("{},", more) + `{}]}`
	resp, answer := r.do(t, http.MethodPost, "/v1/books", body, header{"Authorization": "Bearer " + readerToken})
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(answer, "the body cannot be read: it has more than 262144 values") {
		t.Errorf("POST /v1/books = %d %.300s, want to be told that there are too many values", resp.StatusCode, answer)
	}
}

// TestAStreamWhoseRequestIsNoMessageIsTheCallersMistake sends bytes that no message has.
func TestAStreamWhoseRequestIsNoMessageIsTheCallersMistake(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	request := &emptypb.Empty{}
	request.ProtoReflect().SetUnknown([]byte("\x12\x05ab")) // a string that ends early
	if err := watch(as(t, readerToken), t, r.conn, request).RecvMsg(newMessage("Book")); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "the request cannot be read: cannot parse") {
		t.Errorf("the stream ends with %v, want InvalidArgument and what is wrong without the name of a library", err)
	}
}

// TestWhatAnybodySendsIsNoFailureOfTheServer asks for the server's health with what is no message: failures of a server wake its operators.
func TestWhatAnybodySendsIsNoFailureOfTheServer(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	request := &emptypb.Empty{}
	request.ProtoReflect().SetUnknown([]byte("\x0a\x05ab")) // a string that ends early
	for _, method := range []string{grpc_health_v1.Health_Check_FullMethodName, grpc_health_v1.Health_Watch_FullMethodName} {
		stream, err := r.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stream.SendMsg(request), stream.CloseSend()); err != nil {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(&emptypb.Empty{}); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "the request cannot be read") {
			t.Errorf("%s = %v, want InvalidArgument", method, err)
		}
	}
}
