package cli_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/auth"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// keysFile returns a file with the keys of an admin and of a viewer.
func keysFile(t *testing.T) (file string, admin, viewer auth.Secret) {
	t.Helper()
	admin, viewer = auth.NewToken("api"), auth.NewToken("api")
	lines := auth.KeyLine(admin, auth.Principal{Tenant: auth.DefaultTenant, Name: "ops", Roles: []auth.Role{auth.RoleAdmin}}) + "\n" +
		auth.KeyLine(viewer, auth.Principal{Tenant: auth.DefaultTenant, Name: "eve", Roles: []auth.Role{auth.RoleViewer}}) + "\n"
	file = filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, admin, viewer
}

func TestTheAPIKnowsItsCallers(t *testing.T) {
	site, host := newSite(t)
	keys, admin, viewer := keysFile(t)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	code := make(chan int, 1)
	go func() {
		defer writer.Close() //nolint:errcheck // a pipe's Close returns nil
		code <- cli.Main(ctx, []string{"--addr", "127.0.0.1:0", "--api-addr", "127.0.0.1:0", "--api-grpc-addr", "127.0.0.1:0", "--api-keys", keys, "--allow-internal", host}, nil, writer, io.Discard)
	}()
	lines := bufio.NewScanner(reader)
	var told []string
	for len(told) < 3 && lines.Scan() {
		told = append(told, lines.Text())
	}
	if len(told) < 3 {
		t.Fatalf("webfetch printed %q, want where the agent and its API are", told)
	}
	_, rest, _ := strings.Cut(told[1], "its API is at ")
	_, target, _ := strings.Cut(told[2], "its API over gRPC is at ")
	ask := `{"url":"` + site + `/long"}`
	for token, want := range map[auth.Secret]string{admin: `"success":true`, viewer: "ROLE_MISSING", "": "TOKEN_MISSING"} {
		if got := post(t, rest+"/v1/pages:fetch", ask, "Authorization", "Bearer "+token.Reveal()); !strings.Contains(strings.ReplaceAll(got, ": ", ":"), want) {
			t.Errorf("POST /v1/pages:fetch = %s, want %s", got, want)
		}
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	client := webfetchv1.NewWebFetchServiceClient(conn)
	as := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+viewer.Reveal())
	if list, err := client.ListAllowedDomains(as, &webfetchv1.ListAllowedDomainsRequest{}); err != nil || len(list.GetAllowedDomains()) != 1 {
		t.Errorf("ListAllowedDomains() = %v, %v, want the one of the flag", list, err)
	}
	if _, err := client.AddAllowedDomain(as, &webfetchv1.AddAllowedDomainRequest{Domain: "example.com"}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("AddAllowedDomain() by a viewer = %v, want PERMISSION_DENIED", err)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("Main() = %d after a stop, want 0", got)
	}
}

func TestTheAPIDoesNotStartUnprotected(t *testing.T) {
	keys, _, _ := keysFile(t)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("# none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"without keys":    {"--api-addr", "127.0.0.1:0"},
		"with no key":     {"--api-addr", "127.0.0.1:0", "--api-keys", empty},
		"beyond loopback": {"--api-addr", "0.0.0.0:0", "--api-keys", keys},
		"by gRPC, too":    {"--api-grpc-addr", "0.0.0.0:0", "--api-keys", keys},
	} {
		if code, out, notes := run(t, append(args, "--addr", "127.0.0.1:0")...); code != 6 || !strings.Contains(notes, "CONFIG_INVALID") {
			t.Errorf("webfetch with an API %s = %d, %q, %q, want 6 and CONFIG_INVALID", name, code, out, notes)
		}
	}
}
