package rpcserver_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
)

func TestAnAuditedCallIsLoggedHoweverItEnds(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		o.Rules[getBook] = auth.Rule{Roles: []auth.Role{auth.RoleViewer}, Audited: true}
	})
	for name, test := range map[string]struct {
		token string
		book  string
		want  []string
	}{
		"it is done": {readerToken, "dune", []string{`"level":"INFO"`, `"code":"OK"`, `"principal":"ann"`, `"resource":"dune"`}},
		"it fails":   {readerToken, "away", []string{`"code":"Unavailable"`, `"principal":"ann"`, `"resource":"away"`}},
		"it may not": {agentToken, "dune", []string{`"code":"PermissionDenied"`, `"principal":"web"`, `"resource":"dune"`}},
	} {
		before := r.log.String()
		_ = r.conn.Invoke(as(t, test.token), getBook, newMessage("GetBookRequest", "name", test.book), newMessage("Book")) // the log is what counts
		line := strings.TrimPrefix(r.log.String(), before)
		for _, want := range test.want {
			if !strings.Contains(line, want) {
				t.Errorf("when %s, the log is %q, want %s in it", name, line, want)
			}
		}
	}
}
