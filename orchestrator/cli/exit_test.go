package cli_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestExitCodeTellsWhatFailed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status, code int
		exit         int
	}{ // every code of gRPC but OK
		"canceled on the way is 9":            {499, 1, 9},
		"what nobody knows is 1":              {http.StatusInternalServerError, 2, 1},
		"an invalid argument is 6":            {http.StatusBadRequest, 3, 6},
		"a server out of time is 9":           {http.StatusGatewayTimeout, 4, 9},
		"an unknown name is 3":                {http.StatusNotFound, 5, 3},
		"a name that is taken is 5":           {http.StatusConflict, 6, 5},
		"a role that does not suffice is 4":   {http.StatusForbidden, 7, 4},
		"a used up quota is 9":                {http.StatusTooManyRequests, 8, 9},
		"a state that does not allow it is 6": {http.StatusBadRequest, 9, 6},
		"a concurrent change is 5":            {http.StatusConflict, 10, 5},
		"a place behind the end is 6":         {http.StatusBadRequest, 11, 6},
		"what a server cannot do is 6":        {http.StatusNotImplemented, 12, 6},
		"a bug is 1":                          {http.StatusInternalServerError, 13, 1},
		"an unavailable server is 9":          {http.StatusServiceUnavailable, 14, 9},
		"lost data is 1":                      {http.StatusInternalServerError, 15, 1},
		"no valid token is 4":                 {http.StatusUnauthorized, 16, 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/x": {refuse(test.status, test.code, "THE_REASON", "the message")}})
			exit, stdout, stderr := g.run(t, "", "agents", "get", "x")
			if exit != test.exit || stdout != "" {
				t.Errorf("Main(agents get x) = %d, stdout %q, want %d and nothing", exit, stdout, test.exit)
			}
			if first, _, _ := strings.Cut(stderr, "\n"); first != "quorate agents get: the message (THE_REASON)" {
				t.Errorf("Main(agents get x) printed %q, want the verb, the message and the reason", stderr)
			}
			if strings.Contains(stderr, "Usage") || strings.Contains(stderr, "--help") {
				t.Errorf("Main(agents get x) printed %q, want no usage after an error of the server", stderr)
			}
		})
	}
}

func TestErrorsNameTheFieldsAndWhatToDo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"a field": {
			`{"code":3,"message":"two fields are wrong","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VALIDATION_FAILED"},
				{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"name","description":"no spaces"},{"field":"a.b","description":"two fields are wrong"}]}]}`,
			"quorate agents get: two fields are wrong (VALIDATION_FAILED)\n  field: name: no spaces\n  field: a.b\n",
		},
		"a time to come back": {
			`{"code":14,"message":"busy","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BUSY"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}`,
			"quorate agents get: busy (BUSY)\n  try: again in 2s\n",
		},
		"a list to choose from": {
			`{"code":5,"message":"no agent x","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"AGENT_NOT_FOUND"}]}`,
			"quorate agents get: no agent x (AGENT_NOT_FOUND)\n  try: quorate agents list\n",
		},
		"a name": {
			`{"code":3,"message":"card.name: no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CARD_INVALID"},` +
				`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"card.name","description":"no"}]}]}`,
			"quorate agents get: card.name: no (CARD_INVALID)\n  field: card.name\n  try: --name NAME, which leaves the card unchanged\n",
		},
		"an input": {
			`{"code":3,"message":"no spec","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INPUT_MISSING"}]}`,
			"quorate agents get: no spec (INPUT_MISSING)\n  try: --input NAME=VALUE for each; quorate agents get AGENT shows what it takes\n",
		},
		"what no setting permits": {
			`{"code":7,"message":"never","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ADDRESS_BLOCKED","metadata":{"never":"true"}}]}`,
			"quorate agents get: never (ADDRESS_BLOCKED)\n",
		},
		"a setting": {
			`{"code":7,"message":"not public","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ADDRESS_BLOCKED"}]}`,
			"quorate agents get: not public (ADDRESS_BLOCKED)\n  try: agents.allowOrigins: [HOST:PORT] in the server's configuration, for an agent on a private address\n",
		},
		"an address": {
			`{"code":5,"message":"there is nothing at /v1/v1/agents/x","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ROUTE_NOT_FOUND"}]}`,
			"quorate agents get: there is nothing at /v1/v1/agents/x (ROUTE_NOT_FOUND)\n  try: --server without /v1, which each call has itself\n",
		},
		"a token": {
			`{"code":16,"message":"no token"}`,
			"quorate agents get: no token (UNAUTHENTICATED)\n  try: a valid token, with --token-file FILE, QUORATE_TOKEN_FILE or QUORATE_TOKEN; quorate dev prints where its token is\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/x": {func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(test.body))
			}}})
			if _, _, stderr := g.run(t, "", "agents", "get", "x"); stderr != test.want {
				t.Errorf("Main(agents get x) printed %q, want %q", stderr, test.want)
			}
		})
	}
}

func TestAServerThatIsNotThereIs9(t *testing.T) {
	t.Parallel()
	exit, _, stderr := run(t.Context(), "", "agents", "list", "--server", "http://127.0.0.1:1", "--token-file", write(t, "token", "x"))
	if exit != 9 || !strings.Contains(stderr, "http://127.0.0.1:1") || !strings.Contains(stderr, "SERVER_UNREACHABLE") {
		t.Errorf("Main(agents list) = %d, %q, want 9 and the address", exit, stderr)
	}
}

func TestAnInterruptIs130(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents": {func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}}})
	exit, stdout, stderr := run(ctx, "", "agents", "list", "--server", g.url, "--token-file", g.token)
	if exit != 130 || stdout != "" || stderr != "quorate agents list: interrupted\n" {
		t.Errorf("Main(agents list) = %d, %q, %q, want 130 and a word about it", exit, stdout, stderr)
	}
}

func TestAWrongCommandLineIs2(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		want string // in the first line
	}{
		"an unknown noun":           {[]string{"agnets"}, `unknown verb "agnets"; did you mean agents?`},
		"an unknown verb":           {[]string{"tasks", "sumbit"}, `unknown verb "sumbit"; did you mean submit?`},
		"stdin for a URL":           {[]string{"agents", "register", "-"}, "- is a file: give it with -f"},
		"a file for a URL":          {[]string{"agents", "register", "exit_test.go"}, "exit_test.go is a file: give it with -f"},
		"an unknown flag":           {[]string{"tasks", "submit", "--agnet", "x"}, "unknown flag: --agnet; did you mean --agent?"},
		"an unknown client flag":    {[]string{"tasks", "list", "--sever", "x"}, "unknown flag: --sever; did you mean --server?"},
		"a flag of another command": {[]string{"version", "--server", "x"}, "unknown flag: --server"},
		"an unknown format":         {[]string{"agents", "list", "-o", "yaml"}, `--output takes table or json, not "yaml"`},
		"a missing name":            {[]string{"agents", "get"}, "takes the argument NAME, got 0"},
		"a name too many":           {[]string{"agents", "list", "x"}, "takes no arguments, got 1"},
		"a step instead of a name":  {[]string{"agents", "delete", ".."}, `".." is no NAME`},
		"a step to export":          {[]string{"agents", "export", "a", ".."}, `".." is no NAME`},
		"nothing to export":         {[]string{"agents", "export", ""}, `"" is no NAME`},
		"a step instead of a tag":   {[]string{"skills", "find", "--tag", ".."}, `--tag ".." cannot be looked up`},
		"a flag that is for dev":    {[]string{"config", "explain", "serve", "--http-addr", "127.0.0.1:1"}, "--http-addr is a flag of quorate dev; quorate serve takes it from its file"},
		"no number":                 {[]string{"agents", "list", "--limit", "all"}, `--limit takes a number, not "all"`},
		"no duration":               {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--deadline", "5"}, `--deadline takes a duration such as 90s or 10m, not "5"`},
		"neither true nor false":    {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--watch=maybe"}, `--watch takes true or false, not "maybe"`},
		"no route":                  {[]string{"tasks", "submit", "--text", "x"}, "give one of --agent, --skill, --route-text, --want"},
		"two routes":                {[]string{"tasks", "submit", "--text", "x", "--agent", "a", "--skill", "s"}, "--agent, --skill cannot be given together"},
		"an empty route":            {[]string{"tasks", "submit", "--text", "x", "--skill", ""}, "what is given of --agent, --skill, --route-text and --want is empty"},
		"a file without a name":     {[]string{"tasks", "submit", "--agent", "a", "--file", ""}, `--file takes the name of a file, not ""`},
		"no server":                 {[]string{"agents", "delete", "a", "--yes", "--server", ""}, `--server takes a text that is not empty, not ""`},
		"no token":                  {[]string{"agents", "list", "--token-file", ""}, `--token-file takes a text that is not empty, not ""`},
		"no authorities":            {[]string{"agents", "list", "--ca-file", ""}, `--ca-file takes a text that is not empty, not ""`},
		"no configuration of serve": {[]string{"serve", "--config", ""}, `--config takes the name of a file, not ""`},
		"no configuration of dev":   {[]string{"config", "explain", "dev", "--config", ""}, `--config takes the name of a file, not ""`},
		"no name of tables":         {[]string{"tables", "apply", "--config", ""}, `--config takes the name of a file, not ""`},
		"no etag after all":         {[]string{"agents", "refresh", "a", "--etag", ""}, `--etag takes a text that is not empty, not ""`},
		"no etag of what was seen":  {[]string{"agents", "approve", "a", "--yes", "--etag", ""}, `--etag takes a text that is not empty, not ""`},
		"no etag of a version":      {[]string{"agents", "rollback", "a", "1", "--etag", ""}, `--etag takes a text that is not empty, not ""`},
		"no id of a task":           {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--request-id", ""}, `--request-id takes a text that is not empty, not ""`},
		"no id of a reply":          {[]string{"tasks", "reply", "t1", "--text", "x", "--request-id", ""}, `--request-id takes a text that is not empty, not ""`},
		"no id of a registration":   {[]string{"agents", "register", "https://x.example", "--request-id", ""}, `--request-id takes a text that is not empty, not ""`},
		"no name to register":       {[]string{"agents", "register", "https://x.example", "--name", ""}, `--name takes a text that is not empty, not ""`},
		"no card to read":           {[]string{"agents", "refresh", "a", "--card-url", ""}, `--card-url takes a text that is not empty, not ""`},
		"no number of agents":       {[]string{"tasks", "submit", "--skill", "s", "--text", "x", "--fan-out", ""}, `--fan-out takes a text that is not empty, not ""`},
		"no range of versions":      {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--agent-version", ""}, `--agent-version takes a text that is not empty, not ""`},
		"no owner and no role":      {[]string{"keys", "new"}, "--name, --role are missing"},
		"no tenant":                 {[]string{"keys", "new", "--name", "n", "--role", "admin", "--tenant", ""}, `--tenant takes a text that is not empty, not ""`},
		"two files":                 {[]string{"tasks", "submit", "--agent", "a", "--file", "x", "--file", "y"}, "--file is given twice"},
		"an empty text":             {[]string{"tasks", "submit", "--agent", "a", "--text", ""}, "--text is empty"},
		"an empty reply":            {[]string{"tasks", "reply", "t1", "--text", ""}, "--text is empty"},
		"a message without a name":  {[]string{"tasks", "reply", "t1", "-f", ""}, `--message takes the name of a file, not ""`},
		"metadata without a name":   {[]string{"agents", "register", "https://x.example", "--metadata", ""}, `--metadata takes the name of a file, not ""`},
		"an input without output":   {[]string{"routes", "resolve", "--skill", "s", "--have", "x"}, "--have needs --want"},
		"a number of one agent":     {[]string{"routes", "resolve", "--skill", "s", "--agents", "2"}, "--agents needs --fan-out"},
		"one agent as several":      {[]string{"routes", "resolve", "--agent", "a", "--fan-out", "2"}, "--agent, --fan-out cannot be given together"},
		"several that are none":     {[]string{"routes", "resolve", "--skill", "s", "--fan-out", "0"}, `--fan-out is all, any or a number of agents, not "0"`},
		"several but no number":     {[]string{"routes", "resolve", "--skill", "s", "--fan-out", "most"}, `--fan-out is all, any or a number of agents, not "most"`},
		"two messages":              {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--file", "y"}, "--file, --text cannot be given together"},
		"nothing to do":             {[]string{"tasks", "submit", "--agent", "a"}, "give one of --text, --file, --message"},
		"an attribute without =":    {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--attr", "k"}, `--attr "k" is not key=value`},
		"an attribute given twice":  {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--attr", "k=1", "--attr", "k=2"}, "--attr k is given twice"},
		"nothing before the =":      {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--attr", " =1"}, `--attr " =1" is not key=value`},
		"a number beyond a double":  {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--attr", "n=-1e400"}, `--attr n: the number -1e400 has more digits than are kept; to send it as a text write 'n="-1e400"'`},
		"digits that would be lost": {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--input", "n=-9007199254740993"}, `--input n: the number -9007199254740993 has more digits than are kept; to send it as a text write 'n="-9007199254740993"'`},
		"digits lost in a list":     {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--attr", "n=[1,9007199254740993]"}, `the number 9007199254740993 has more digits than are kept; to send it as a text write 'n=[1,"9007199254740993"]'`},
		"a field that is twice":     {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--input", `n={"a":1,"a":2}`}, `duplicate map key "a"`},
		"no time to wait":           {[]string{"consultations", "request", "t1", "--requirement", "r", "--wait", "--timeout", "-5s"}, "--timeout must be longer than 0"},
		"a deadline in the past":    {[]string{"tasks", "submit", "--agent", "a", "--text", "x", "--deadline", "-1s"}, "--deadline must be longer than 0"},
		"no requirement":            {[]string{"consultations", "request", "t"}, "quorate consultations request: --requirement is missing"},
		"no card":                   {[]string{"agents", "register"}, "either the card's URL or -f"},
		"two cards":                 {[]string{"agents", "register", "http://x", "-f", "c.json"}, "either the card's URL or -f"},
		"a limit without end":       {[]string{"agents", "list", "--limit", "100001"}, "--limit must be from 1 to 100000"},
		"a limit of nothing":        {[]string{"agents", "list", "--limit", "0"}, "--limit must be from 1 to 100000"},
		"available without a skill": {[]string{"skills", "find", "--available"}, "--available needs a SKILL or a --tag"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, stdout, stderr := run(t.Context(), "", test.args...)
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			if exit != 2 || stdout != "" || len(lines) != 2 || !strings.Contains(lines[0], test.want) || !strings.HasPrefix(lines[1], `see "quorate`) {
				t.Errorf("Main(%q) = %d, %q, %q, want 2, %q and where to find help", test.args, exit, stdout, stderr, test.want)
			}
		})
	}
}

func TestEveryVerbTakesItsArgumentsAndNoMore(t *testing.T) {
	t.Parallel()
	for n, verbs := range map[int][]string{
		0: {
			"dev", "serve", "version", "whoami", "doctor serve", "agents list", "tasks submit", "tasks list", "routes resolve", "domains list", "keys new", "keys list",
			"mappings list", "tables plan", "tables apply",
		},
		1: {
			"agents get", "agents delete", "agents token", "agents refresh", "agents drain", "agents resume", "agents approve", "agents reject", "agents versions",
			"tasks get", "tasks watch", "tasks reply", "tasks cancel", "tasks explain", "consultations request", "consultations list", "consultations check",
			"domains add", "domains remove", "domains test", "keys pin", "keys delete", "fetch",
		},
		2: {"agents rollback", "mappings add", "mappings remove"},
	} {
		for _, verb := range verbs {
			for _, given := range []int{n - 1, n + 1} {
				if given < 0 {
					continue
				}
				line := strings.Fields(verb + strings.Repeat(" a", given))
				if exit, stdout, stderr := run(t.Context(), "", line...); exit != 2 || stdout != "" || !strings.Contains(stderr, ", got "+strconv.Itoa(given)) {
					t.Errorf("Main(%q) = %d, %q, %q, want 2 and how many there are", line, exit, stdout, stderr)
				}
			}
		}
	}
}

func TestEveryVerbHasHelpWithAnExample(t *testing.T) {
	t.Parallel()
	verbs := []string{
		"", "dev", "version", "whoami", "config explain", "agents list", "agents get", "agents register", "agents delete", "agents token", "agents refresh", "agents drain", "agents resume", "skills find",
		"tasks submit", "tasks get", "tasks list", "tasks watch", "tasks reply", "tasks cancel", "tasks explain",
		"consultations request", "consultations list", "consultations check", "mappings list", "mappings add", "mappings remove",
	}
	for _, verb := range verbs {
		exit, stdout, stderr := run(t.Context(), "", append(strings.Fields(verb), "--help")...)
		if exit != 0 || stderr != "" || !strings.Contains(stdout, "Examples:\n  ") {
			t.Errorf("Main(%s --help) = %d, %q, %q, want 0 and an example", verb, exit, stdout, stderr)
		}
	}
	for _, alone := range []string{"", "agents", "tasks"} {
		if exit, stdout, _ := run(t.Context(), "", strings.Fields(alone)...); exit != 0 || !strings.Contains(stdout, "Usage:") {
			t.Errorf("Main(%q) = %d, %q, want 0 and the help", alone, exit, stdout)
		}
	}
}

// TestListsAndRemovalsHaveTheirShortNames asks each group that has such a verb for the help of its short name.
func TestListsAndRemovalsHaveTheirShortNames(t *testing.T) {
	t.Parallel()
	for short, groups := range map[string]string{"ls": "agents skills tasks consultations domains keys mappings", "rm": "agents domains keys mappings"} {
		for group := range strings.FieldsSeq(groups) {
			if exit, stdout, stderr := run(t.Context(), "", group, short, "--help"); exit != 0 || !strings.Contains(stdout, ", "+short+"\n") || stderr != "" {
				t.Errorf("Main(%s %s --help) = %d, %q, %q, want 0 and the help of that verb", group, short, exit, stdout, stderr)
			}
		}
	}
}

func TestVersionNamesTheToolchain(t *testing.T) {
	t.Parallel()
	exit, stdout, stderr := run(t.Context(), "", "version")
	if exit != 0 || stderr != "" || !strings.HasPrefix(stdout, "quorate ") || !strings.Contains(stdout, "go1.") {
		t.Errorf("Main(version) = %d, %q, %q, want 0 and the version of quorate and Go", exit, stdout, stderr)
	}
	first, _, _ := strings.Cut(stdout, "\n")
	if exit, stdout, stderr := run(t.Context(), "", "--version"); exit != 0 || stderr != "" || stdout != first+"\n" {
		t.Errorf("Main(--version) = %d, %q, %q, want 0 and %q", exit, stdout, stderr, first)
	}
}

func TestHelpForWhatIsNotThereIsWrongUsage(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"help nope", "help agents nope", "completion tcsh", "completion bash extra"} {
		if exit, stdout, stderr := run(t.Context(), "", strings.Fields(line)...); exit != 2 || stdout != "" || stderr == "" {
			t.Errorf("Main(%s) = %d, %q, %q, want 2, nothing, and what is wrong", line, exit, stdout, stderr)
		}
	}
	for _, line := range []string{"help", "help agents list", "help tasks", "completion", "completion bash", "completion zsh --no-descriptions"} {
		if exit, stdout, stderr := run(t.Context(), "", strings.Fields(line)...); exit != 0 || stdout == "" || stderr != "" {
			t.Errorf("Main(%s) = %d, %q, want 0 and text", line, exit, stderr)
		}
	}
}
