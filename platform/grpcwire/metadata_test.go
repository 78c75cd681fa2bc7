package grpcwire_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

// odd is metadata of which only the first two pairs may travel. The others belong to the protocol, or are against its rules.
var odd = []string{
	"0-a_z.9", " ~", "raw-bin", "\x00\xff",
	"te", "x", "grpc-timeout", "1n", "grpc-status", "0", ":path", "/x", ":authority", "evil", "content-type", "text/html", "user-agent", "evil", "connection", "close",
	"", "x", "Upper", "x", "a b", "x", "a:b", "x", "a/b", "x", "a{b", "x", "a@b", "x", "é", "x", "lines", "a\r\nb", "high", "é", "del", "\x7f",
}

// TestOnlyMetadataThatIsAllowedTravels sends it through both of our sides.
func TestOnlyMetadataThatIsAllowedTravels(t *testing.T) {
	t.Parallel()
	var asked metadata.MD
	intercept := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		asked, _ = metadata.FromIncomingContext(ctx)
		header := metadata.MD{}
		for pair := range slices.Chunk(odd, 2) {
			header[pair[0]] = []string{pair[1]}
		}
		if err := grpc.SetHeader(ctx, header); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
	_, addr := serve(t, func(o *grpcwire.Options) { o.Unary = intercept })
	if _, err := said(t, clientOf(t, addr), "hello", odd...); err != nil {
		t.Fatalf("Echo() with odd metadata = %v, want no error", err)
	}
	want := metadata.MD{
		"0-a_z.9": {" ~"}, "raw-bin": {"\x00\xff"}, ":authority": {agentURL.Host}, "content-type": {"application/grpc"}, "user-agent": {"quorate"},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("Echo() is asked with (-want +got):\n%s", diff)
	}
	var answered metadata.MD
	if err := dial(t, addr).Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}, grpc.Header(&answered)); err != nil {
		t.Fatalf("Echo() that answers odd metadata = %v, want no error", err)
	}
	want = metadata.MD{"0-a_z.9": {" ~"}, "raw-bin": {"\x00\xff"}, "content-type": {"application/grpc"}}
	if diff := cmp.Diff(want, answered); diff != "" {
		t.Errorf("Echo() answers with (-want +got):\n%s", diff)
	}
	if _, ok := asked["te"]; ok { // which every client sends
		t.Errorf("Echo() is asked with %q, want nothing that belongs to the protocol", asked)
	}
}
