package cli_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

func TestTablesArePlannedThenAppliedOnce(t *testing.T) {
	t.Parallel()
	where := []string{"--endpoint", dynamotest.Endpoint(t), "--table-prefix", dynamotest.Prefix()}
	for _, step := range []struct {
		verb string
		exit int
		want string
	}{
		{"plan", 10, "-AgentMetadata: create table\n"},
		{"plan", 10, "-AllowedDomains: create table\n"},
		{"apply", 0, "-AgentStatus: turn on ttl on ttl\n"},
		{"plan", 0, "all tables are as they should be\n"},
		{"apply", 0, "all tables are as they should be\n"},
	} {
		exit, stdout, stderr := run(t.Context(), "", append([]string{"tables", step.verb}, where...)...)
		if exit != step.exit || !strings.Contains(stdout, step.want) || stderr != "" {
			t.Errorf("tables %s = %d, %q, %q, want %d with %q", step.verb, exit, stdout, stderr, step.exit, step.want)
		}
	}
}

// TestTablesAreWhereTheConfigurationOfServeHasThem uses the same file as the server does, and flags for another place.
func TestTablesAreWhereTheConfigurationOfServeHasThem(t *testing.T) {
	t.Parallel()
	endpoint, prefix := dynamotest.Endpoint(t), dynamotest.Prefix()
	file := func(store string) string {
		return write(t, "quorate.yaml", "auth: {keysFile: keys}\nstore: "+store)
	}
	tables := file("{kind: dynamodb, pageKeyFile: page.key, endpoint: " + endpoint + ", tablePrefix: " + prefix + "}")
	for name, test := range map[string]struct {
		args []string
		exit int
		want string
	}{
		"the configuration alone":     {[]string{"--config", tables}, 10, prefix + "AgentMetadata: create table\n"},
		"a flag that says otherwise":  {[]string{"--config", tables, "--table-prefix", "other-" + prefix}, 10, "other-" + prefix + "AgentMetadata: create table\n"},
		"a store without tables":      {[]string{"--config", file("{dataDir: data}")}, 6, "store.kind"},
		"settings that serve refuses": {[]string{"--config", file("{kind: dynamodb}")}, 6, "store.pageKeyFile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, stdout, stderr := run(t.Context(), "", append([]string{"tables", "plan"}, test.args...)...)
			if exit != test.exit || !strings.Contains(stdout+stderr, test.want) {
				t.Errorf("tables plan = %d, %q, %q, want %d with %q", exit, stdout, stderr, test.exit, test.want)
			}
		})
	}
}

func TestTablesAreWhereTheVariablesOfServeHaveThem(t *testing.T) {
	prefix := dynamotest.Prefix()
	for name, value := range map[string]string{
		"STORE_KIND": "dynamodb", "STORE_ENDPOINT": dynamotest.Endpoint(t), "STORE_TABLE_PREFIX": prefix, "STORE_PAGE_KEY_FILE": "page.key", "AUTH_KEYS_FILE": "keys",
	} {
		t.Setenv("QUORATE_"+name, value)
	}
	if exit, stdout, stderr := run(t.Context(), "", "tables", "plan"); exit != 10 || !strings.Contains(stdout, prefix+"AgentMetadata: create table\n") {
		t.Errorf("tables plan without a file = %d, %q, %q, want 10 with tables as the variables say", exit, stdout, stderr)
	}
}

func TestTablesThatDifferAreLeftAlone(t *testing.T) {
	t.Parallel()
	endpoint, prefix := dynamotest.Endpoint(t), dynamotest.Prefix()
	client, err := ddb.Open(t.Context(), ddb.Config{Endpoint: endpoint, TablePrefix: prefix})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if err := client.Apply(t.Context(), []ddb.Table{{Name: "AgentMetadata", Hash: ddb.Text("id")}}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	exit, _, stderr := run(t.Context(), "", "tables", "apply", "--endpoint", endpoint, "--table-prefix", prefix)
	if exit != 6 || !strings.Contains(stderr, "TABLE_DIFFERS") {
		t.Errorf("tables apply = %d, %q, want 6 with TABLE_DIFFERS", exit, stderr)
	}
}

func TestTablesNeedAPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		exit int
		want string
	}{
		"a prefix with a space":        {[]string{"--table-prefix", "a b"}, 6, "TABLE_PREFIX_INVALID"},
		"an endpoint that is no URL":   {[]string{"--endpoint", "localhost:8000"}, 6, "ENDPOINT_INVALID"},
		"a store that does not answer": {[]string{"--endpoint", "http://127.0.0.1:1"}, 9, "STORE_UNREACHABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, _, stderr := run(t.Context(), "", append([]string{"tables", "plan"}, test.args...)...)
			if exit != test.exit || !strings.Contains(stderr, test.want) {
				t.Errorf("tables plan = %d, %q, want %d with %q", exit, stderr, test.exit, test.want)
			}
		})
	}
}
