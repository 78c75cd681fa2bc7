package rpcserver_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
)

func TestAnAuditedCallIsLoggedHoweverItEnds(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		audited := auth.Rule{Roles: []auth.Role{auth.RoleViewer}, Audited: true}
		o.Rules[getBook], o.Rules[createBook] = audited, audited
	})
	created, listed := newMessage("CreateBookRequest", "request_id", "r1"), newMessage("CreateBookRequest", "request_id", "r1")
	fields := created.Descriptor().Fields()
	created.Set(fields.ByName("book"), protoreflect.ValueOfMessage(newMessage("Book", "name", "dune")))
	listed.Mutable(fields.ByName("others")).List().Append(protoreflect.ValueOfMessage(newMessage("Book", "name", "emma")))
	listed.Mutable(fields.ByName("labels")).Map().Set(protoreflect.ValueOfString("name").MapKey(), protoreflect.ValueOfString("emma"))
	book := func(name string) proto.Message { return newMessage("GetBookRequest", "name", name) }
	for name, test := range map[string]struct {
		token string
		ask   proto.Message
		want  []string
	}{
		"it is done": {readerToken, book("dune"), []string{`"level":"INFO"`, `"code":"OK"`, `"principal":"ann"`, `"resource":"dune"`}},
		"it fails":   {readerToken, book("away"), []string{`"code":"Unavailable"`, `"principal":"ann"`, `"resource":"away"`}},
		"it may not": {agentToken, book("dune"), []string{`"code":"PermissionDenied"`, `"principal":"web"`, `"resource":"dune"`}},

		"it may not, and is about a part of the request": {agentToken, created, []string{`"code":"PermissionDenied"`, `"resource":"dune"`}},
		"it may not, and is about nothing in particular": {agentToken, listed, []string{`"code":"PermissionDenied"`, `"principal":"web"`}},
	} {
		before := r.log.String()
		method := getBook
		if test.ask == created || test.ask == listed {
			method = createBook
		}
		_ = r.conn.Invoke(as(t, test.token), method, test.ask, newMessage("Book")) // the log is what counts
		line := strings.TrimPrefix(r.log.String(), before)
		for _, want := range test.want {
			if !strings.Contains(line, want) {
				t.Errorf("when %s, the log is %q, want %s in it", name, line, want)
			}
		}
	}
	if got := r.log.String(); strings.Contains(got, "emma") {
		t.Errorf("the log is %s, want nothing about one of many books", got)
	}
}
