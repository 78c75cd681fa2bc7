package auth_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

func TestAKeyFileMakesTokensCount(t *testing.T) {
	t.Parallel()
	owners := map[auth.Secret]auth.Principal{
		auth.NewToken("api"): {Tenant: auth.DefaultTenant, Name: "ops", Roles: []auth.Role{auth.RoleAdmin, auth.RoleViewer}},
		auth.NewToken("api"): {Tenant: "acme", Name: "batch", Roles: []auth.Role{auth.RoleDispatcher, auth.RoleAgent}},
	}
	file := []string{"# who may call", ""}
	for token, p := range owners {
		line := auth.KeyLine(token, p)
		if strings.Contains(line, token.Reveal()) {
			t.Errorf("KeyLine() = %q, which holds the token", line)
		}
		if named := strings.HasSuffix(line, " "+p.Tenant); named != (p.Tenant != auth.DefaultTenant) {
			t.Errorf("KeyLine(of tenant %s) = %q, which names the tenant: %t", p.Tenant, line, named)
		}
		file = append(file, line)
	}
	keys := auth.NewKeyring()
	if n, err := keys.Read(strings.NewReader(strings.Join(file, "\n"))); n != len(owners) || err != nil {
		t.Fatalf("Read() = %d, %v, want %d, nil", n, err, len(owners))
	}
	for token, want := range owners {
		want.Credential = auth.CredentialKey
		got, err := keys.Authenticate(t.Context(), token.Reveal())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Authenticate() = %v, differs (-want +got):\n%s", err, diff)
		}
	}
	if _, err := keys.Authenticate(t.Context(), auth.NewToken("api").Reveal()); fault.ReasonOf(err) != "TOKEN_INVALID" {
		t.Errorf("Authenticate(unknown) = %v, want TOKEN_INVALID", err)
	}
}

func TestAWrongKeyFileAddsNothing(t *testing.T) {
	t.Parallel()
	token := auth.NewToken("api")
	right := auth.KeyLine(token, auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}})
	for name, test := range map[string]struct{ line, want string }{
		"a token in place of a hash": {token.Reveal() + " ops admin", "sha256:"},
		"a short hash":               {"sha256:0123 ops admin", "64 hexadecimal digits"},
		"a hash and a digit more":    {strings.Replace(right, " ops", "0 ops", 1), "64 hexadecimal digits"},
		"a hash of another kind":     {strings.TrimPrefix(right, "sha256:"), "sha256:"},
		"an unknown role":            {strings.Replace(right, "admin", "root", 1), `"root" is not one of the roles`},
		"no role":                    {strings.TrimSuffix(right, " admin"), "HASH NAME ROLES"},
		"too many fields":            {right + " acme more", "HASH NAME ROLES"},
		"the same key twice":         {right, "twice"},
		"a name of our own":          {strings.Replace(right, " ops ", " quorate:consultation ", 1), "reserved"},
		"a name without end":         {strings.Replace(right, " ops ", " "+strings.Repeat("n", 257)+" ", 1), "256 bytes"},
		"a tenant without end":       {right + " " + strings.Repeat("t", 129), "128 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys := auth.NewKeyring()
			_, err := keys.Read(strings.NewReader(right + "\n" + test.line + "\n"))
			if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read() = %v, want CONFIG_INVALID about line 2 with %q", err, test.want)
			}
			if _, err := keys.Authenticate(t.Context(), token.Reveal()); err == nil {
				t.Errorf("Authenticate() = nil, want the file to add nothing")
			}
		})
	}
}

func TestALineOfAKeyFileIsBounded(t *testing.T) {
	t.Parallel()
	if n, err := auth.NewKeyring().Read(strings.NewReader("\n# " + strings.Repeat("x", 5<<10) + "\n")); err == nil || !strings.Contains(err.Error(), "line 2 has more than 4096 bytes") {
		t.Errorf("Read() of a line of 5 KiB = %d, %v, want an error that says which line and the limit", n, err)
	}
}

func TestAKeyFileThatCannotBeReadToItsEndAddsNothing(t *testing.T) {
	t.Parallel()
	token, keys := auth.NewToken("api"), auth.NewKeyring()
	line := auth.KeyLine(token, auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}}) + "\n"
	if n, err := keys.Read(io.MultiReader(strings.NewReader(line), iotest.ErrReader(errors.New("the disk is broken")))); err == nil || !strings.Contains(err.Error(), "the disk is broken") {
		t.Errorf("Read() of a file whose second line cannot be read = %d, %v, want why", n, err)
	}
	if _, err := keys.Authenticate(t.Context(), token.Reveal()); err == nil {
		t.Error("Authenticate() = nil, want the file to add nothing")
	}
}

func TestTheKeysOfAFileAreCounted(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for n := range 100_001 {
		file.WriteString("sha256:" + fmt.Sprintf("%064x", n) + " ops admin\n")
	}
	if n, err := auth.NewKeyring().Read(strings.NewReader(file.String())); fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), "line 100001") {
		t.Errorf("Read() of 100001 keys = %d, %v, want CONFIG_INVALID about line 100001", n, err)
	}
}
