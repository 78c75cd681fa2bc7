package server_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
)

const repository = "../.."

var (
	reasonForm = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)
	reasonRow  = regexp.MustCompile("(?m)^\\| `([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)` \\| (.*?) \\| (.+) \\|$")
	variables  = regexp.MustCompile(`^(QUORATE|WEBFETCH|WEB_FETCH|AGENTCORE|XDG)_`) // of the environment
)

// kinds are the codes that kinds of faults become. Clients are told nothing about internal ones.
var kinds = map[string]string{
	"InvalidArgument": "INVALID_ARGUMENT", "NotFound": "NOT_FOUND", "AlreadyExists": "ALREADY_EXISTS", "Conflict": "ABORTED",
	"FailedPrecondition": "FAILED_PRECONDITION", "Unauthenticated": "UNAUTHENTICATED", "PermissionDenied": "PERMISSION_DENIED",
	"ResourceExhausted": "RESOURCE_EXHAUSTED", "Unavailable": "UNAVAILABLE", "DeadlineExceeded": "DEADLINE_EXCEEDED",
}

// recoded are the codes that services answer with instead of that of the fault, because no kind of fault has them.
var recoded = map[string]string{"REVISION_GONE": "OUT_OF_RANGE"}

// reasons are the codes of every reason in the source; a reason that no fault is made of on the spot has none.
type reasons map[string]map[string]bool

func (r reasons) note(reason, code string) {
	if !reasonForm.MatchString(reason) || variables.MatchString(reason) {
		return
	}
	if r[reason] == nil {
		r[reason] = make(map[string]bool)
	}
	if code != "" {
		r[reason][code] = true
	}
}

// TestEveryReasonIsDocumented compares docs/errors.md with the source, both ways.
func TestEveryReasonIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "docs/errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := inSource(t)
	documented := make(map[string]bool)
	_, tables, _ := strings.Cut(string(text), "\n## ") // before it is the table of codes
	for _, row := range reasonRow.FindAllStringSubmatch(tables, -1) {
		reason, codes := row[1], row[2]
		if documented[reason] {
			t.Errorf("%s is documented twice", reason)
		}
		documented[reason] = true
		if _, ok := found[reason]; !ok && strings.Contains(reason, "_") {
			t.Errorf("%s is documented, and nowhere in the source", reason)
		}
		for code := range found[reason] {
			if code = cmp.Or(recoded[reason], code); !strings.Contains(codes, "`"+code+"`") {
				t.Errorf("%s has the code %s in the source, and %s in the documentation", reason, code, codes)
			}
		}
	}
	for reason := range found {
		if !documented[reason] && !strings.Contains(string(text), "`"+reason+"`") {
			t.Errorf("%s is not documented", reason)
		}
	}
}

// inSource finds the reasons in all packages that are not for tests.
func inSource(t *testing.T) reasons {
	t.Helper()
	found := make(reasons)
	for _, verdict := range []string{
		consultation.VerdictApproved, consultation.VerdictRejected, consultation.VerdictDeferred, consultation.VerdictError, consultation.VerdictMissing,
		consultation.VerdictStale, consultation.VerdictPending, consultation.VerdictUnauthenticated, consultation.VerdictUnavailable,
	} {
		found.note("CONSULTATION_"+strings.ToUpper(verdict), "")
	}
	for _, module := range []string{"platform", "registry", "consultation", "orchestrator", "agents"} {
		err := filepath.WalkDir(filepath.Join(repository, module), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || strings.HasSuffix(d.Name(), "test") {
				return fs.SkipDir
			}
			return found.read(path)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// read finds the reasons in the files of a folder.
func (r reasons) read(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	var files []*ast.File
	constants := make(map[string]string)
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				r.note(text(n, nil), "")
			case *ast.ValueSpec:
				for i := range min(len(n.Names), len(n.Values)) {
					constants[n.Names[i].Name] = text(n.Values[i], nil)
				}
			}
			return true
		})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			r.note(made(n, constants))
			return true
		})
	}
	return nil
}

// made returns reason and code of the fault that a call makes; the reason is empty when it makes none.
func made(n ast.Node, constants map[string]string) (reason, code string) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 3 {
		return "", ""
	}
	name := member(call.Fun, "fault")
	if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "failure" { // of web-fetch
		name = "New"
	}
	switch name {
	case "New":
		return text(call.Args[1], constants), kinds[member(call.Args[0], "fault")]
	case "Invalid":
		return text(call.Args[1], constants), kinds["InvalidArgument"]
	}
	return "", ""
}

// member returns the name of what an expression takes from a package; empty for anything else.
func member(e ast.Expr, of string) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := s.X.(*ast.Ident); !ok || x.Name != of {
		return ""
	}
	return s.Sel.Name
}

// text returns the string that an expression is, as a literal or by its name.
func text(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.Ident:
		return constants[e.Name]
	}
	return ""
}
