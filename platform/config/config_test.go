package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
)

type settings struct {
	HTTP   httpSettings `yaml:"http"`
	Name   string       `yaml:"name" doc:"how clients call it"`
	Debug  bool         `yaml:"debug"`
	Level  int          `yaml:"level"`
	Ratio  float64      `yaml:"ratio"`
	Hidden string       `yaml:"-"`
}

type httpSettings struct {
	Addr         string        `yaml:"addr"`
	ReadTimeout  time.Duration `yaml:"readTimeout"`
	AllowedHosts []string      `yaml:"allowedHosts"`
	Retries      int           `yaml:"retries"`
}

func (s httpSettings) Validate() error {
	if s.Addr == "" {
		return errors.New("addr is empty")
	}
	if s.Retries > 9 {
		return fault.Invalid("retries", "CONFIG_INVALID", "\"%d\" are too many", s.Retries)
	}
	return nil
}

func defaults() settings {
	return settings{HTTP: httpSettings{Addr: ":8080", ReadTimeout: 5 * time.Second}}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadTakesEachValueFromTheStrongestSource(t *testing.T) {
	t.Parallel()
	file := write(t, "quorate.yaml", `# a comment
http:
  addr: :1
  readTimeout: 1s
  allowedHosts: [a.example, b.example]
name: from-file
debug: null
`)
	got := defaults()
	sources, err := config.Load(&got, config.Options{
		File:    file,
		Environ: []string{"QUORATE_HTTP_READ_TIMEOUT=2s", "QUORATE_HTTP_ADDR=:2", "QUORATE_NAME=from-env", "QUORATE_HTTP_RETRIES=", "PATH=/bin"},
		Flags:   map[string]string{"http.addr": ":3", "ratio": "0.5", "level": "-4"},
	})
	if err != nil {
		t.Fatalf("Load() = %v, want no error", err)
	}
	want := settings{
		HTTP: httpSettings{Addr: ":3", ReadTimeout: 2 * time.Second, AllowedHosts: []string{"a.example", "b.example"}},
		Name: "from-env", Ratio: 0.5, Level: -4,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load() differs (-want +got):\n%s", diff)
	}
	var out strings.Builder
	if err := sources.Explain(&out); err != nil {
		t.Fatalf("Explain() = %v, want no error", err)
	}
	explained := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), file, "F")), " ")
	wantExplained := "http.addr :3 flag --addr http.readTimeout 2s env QUORATE_HTTP_READ_TIMEOUT " +
		"http.allowedHosts [a.example b.example] F:5 http.retries 0 default name from-env env QUORATE_NAME debug false default level -4 flag --level ratio 0.5 flag --ratio"
	if explained != wantExplained {
		t.Errorf("Explain() =\n%s\nwant\n%s", explained, wantExplained)
	}
	out.Reset()
	err = sources.Describe(&out)
	for _, want := range []string{"\nname  from-env  env QUORATE_NAME\n    how clients call it\n    env QUORATE_NAME\n\ndebug  ", "\n    env QUORATE_HTTP_ALLOWED_HOSTS, separated by commas\n"} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("Describe() = %v\n%s\nwant\n%s", err, out.String(), want)
		}
	}
}

func TestLoadRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file    string
		environ []string
		flags   map[string]string
		want    string
	}{
		"a mistyped key":              {file: "http:\n  adr: x\n", want: "F:2: unknown key http.adr, did you mean addr?"},
		"a key like nothing":          {file: "zzzzzzzz: 1\n", want: "F:1: unknown key zzzzzzzz"},
		"a key that is skipped":       {file: "Hidden: 1\n", want: "F:1: unknown key Hidden"},
		"a merge key":                 {file: "<<: {debug: true}\n", want: "F:1: unknown key <<"},
		"a key given twice":           {file: "debug: true\ndebug: false\n", want: "F:2: debug is given twice, first in line 1"},
		"a duration without a unit":   {file: "http: {readTimeout: 5}\n", want: `F:1: http.readTimeout: "5" is not a duration such as 1m30s`},
		"a number out of range":       {file: "level: 9223372036854775808\n", want: `F:1: level: "9223372036854775808" is not a whole number, or one that is too large`},
		"a whole number that is none": {file: "level: 1.5\n", want: `F:1: level: "1.5" is not a whole number, or one that is too large`},
		"a value instead of a list":   {file: "http: {allowedHosts: a}\n", want: "F:1: http.allowedHosts: want a list"},
		"a list instead of a value":   {file: "debug: [true]\n", want: "F:1: debug: want one value"},
		"a list in a list":            {file: "http: {allowedHosts: [[a]]}\n", want: "F:1: http.allowedHosts: want text"},
		"nothing in a list":           {file: "http: {allowedHosts: [a, null]}\n", want: "F:1: http.allowedHosts: want text"},
		"a value instead of settings": {file: "http: x\n", want: "F:1: http: want settings below it"},
		"a list at the top":           {file: "- x\n", want: "F:1: the file: want settings below it"},
		"two documents":               {file: "debug: true\n---\ndebug: false\n", want: "F: more than one document"},
		"a second one that is broken": {file: "debug: true\n---\na: [\n", want: "F: more than one document"},
		"broken YAML":                 {file: "a: [\n", want: "F: yaml: line 1: did not find expected node content"},
		"a tab":                       {file: "http:\n\taddr: x\n", want: "F: yaml: line 2: found character that cannot start any token; indent with spaces, since YAML takes no tabs"},
		"a star":                      {file: "debug: true\nhttp: {allowedHosts: [*]}\n", want: "F: yaml: line 2: did not find expected alphabetic or numeric character; quote a text that begins with * or &, such as \"*\""},
		"a star before a name":        {file: "http: {allowedHosts: [*x]}\n", want: "F: yaml: unknown anchor 'x' referenced; quote a text that begins with * or &, such as \"*\""},
		"too long a file":             {file: strings.Repeat("#", 1<<20+1), want: "config file: F is too large: it has more than 1048576 bytes"},
		"a wrong variable":            {environ: []string{"QUORATE_DEBUG=maybe"}, want: `env QUORATE_DEBUG: debug: "maybe" is neither true nor false`},
		"a flag for nothing":          {flags: map[string]string{"http.port": "1"}, want: "flag for http.port: no such setting"},
		"a setting that is refused":   {file: "http:\n  retries: 99\n", want: `F:2: http.retries: "99" are too many`},
		"what Validate refuses":       {flags: map[string]string{"http.addr": ""}, want: "http: addr is empty"},
		"all problems at once":        {file: "x: 1\n", flags: map[string]string{"debug": "x"}, want: "F:1: unknown key x\nflag --debug: debug: \"x\" is neither true nor false"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, "f.yaml", test.file)
			got := defaults()
			_, err := config.Load(&got, config.Options{File: file, Environ: append([]string{}, test.environ...), Flags: test.flags})
			if fault.ReasonOf(err) != "CONFIG_INVALID" {
				t.Fatalf("Load() = %v, want CONFIG_INVALID", err)
			}
			if text := strings.ReplaceAll(err.Error(), file, "F"); text != test.want {
				t.Errorf("Load() = %q, want %q", text, test.want)
			}
		})
	}
}

func TestLoadReadsListsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	got := defaults()
	_, err := config.Load(&got, config.Options{Environ: []string{"QUORATE_HTTP_ALLOWED_HOSTS=a, b,", "QUORATE_DEBUG=true", "QUORATE_HTTP_READ_TIMEOUT=0"}})
	if err != nil {
		t.Fatalf("Load() = %v, want no error", err)
	}
	want := defaults()
	want.Debug, want.HTTP.ReadTimeout, want.HTTP.AllowedHosts = true, 0, []string{"a", "b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load() differs (-want +got):\n%s", diff)
	}
}

func TestLoadReadsAFileWithWhatYAMLHas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"an empty section":            {"http: # nothing is set here\nname: n\n", "n"},
		"an alias":                    {"http: {addr: &a n}\nname: *a\n", "n"},
		"nothing but a dividing line": {"---\n", ""},
	} {
		got := defaults()
		if _, err := config.Load(&got, config.Options{File: write(t, "f.yaml", test.file), Environ: []string{}}); err != nil || got.Name != test.want {
			t.Errorf("Load() of %s = %v with the name %q, want %q", name, err, got.Name, test.want)
		}
	}
}

func TestLoadWarnsOfVariablesThatAreNoSettings(t *testing.T) {
	t.Parallel()
	got := defaults()
	sources, err := config.Load(&got, config.Options{
		Environ: []string{
			"QUORATE_SERVRE=x", "QUORATE_NAM=x", "QUORATE_LEVELL=x", "QUORATE_RATOI=x", "QUORATE_HTP_ADDR=x", // in no order
			"QUORATE_SERVER=y", "QUORATE_TEST_DYNOXIDE=/bin/dynoxide", "OTHER=z",
		},
		KnownEnv: []string{"QUORATE_SERVER"},
	})
	if err != nil {
		t.Fatalf("Load() = %v, want no error", err)
	}
	var want []string
	for _, pair := range [][2]string{{"HTP_ADDR", "HTTP_ADDR"}, {"LEVELL", "LEVEL"}, {"NAM", "NAME"}, {"RATOI", "RATIO"}, {"SERVRE", "SERVER"}} {
		want = append(want, "environment variable QUORATE_"+pair[0]+" is not a setting, did you mean QUORATE_"+pair[1]+"?")
	}
	if diff := cmp.Diff(want, sources.Warnings()); diff != "" {
		t.Errorf("Warnings() differs (-want +got):\n%s", diff)
	}
}

func TestLoadTellsOfABrokenSchema(t *testing.T) {
	t.Parallel()
	tests := map[string]any{
		"not a pointer": settings{},
		"no yaml name":  &struct{ A string }{},
		"unsupported type": &struct {
			A chan int `yaml:"a"`
		}{},
		"one name for both": &struct {
			A string `yaml:"aB"`
			B string `yaml:"a-b"`
		}{},
	}
	for name, dst := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := config.Load(dst, config.Options{Environ: []string{}}); err == nil {
				t.Errorf("Load(%T) = nil, want an error", dst)
			}
		})
	}
}

func TestEnvReadsTheProcess(t *testing.T) {
	t.Setenv("QUORATE_SERVER", "http://localhost:1")
	if got := config.Env("QUORATE_SERVER"); got != "http://localhost:1" {
		t.Errorf("Env(QUORATE_SERVER) = %q, want http://localhost:1", got)
	}
	if got := config.Env("QUORATE_NOT_SET"); got != "" {
		t.Errorf("Env(QUORATE_NOT_SET) = %q, want nothing", got)
	}
}

func TestThePluralOfAnAbbreviationIsOneWordOfAVariable(t *testing.T) {
	t.Parallel()
	var got struct {
		Cards  []string `yaml:"cardURLs"`
		Maybe  string   `yaml:"URLsOfCards"`
		Single string   `yaml:"baseURLPath"`
	}
	_, err := config.Load(&got, config.Options{Environ: []string{"QUORATE_CARD_URLS=a,b", "QUORATE_URLS_OF_CARDS=c", "QUORATE_BASE_URL_PATH=d"}})
	if err != nil || len(got.Cards) != 2 || got.Maybe != "c" || got.Single != "d" {
		t.Errorf("Load() = %v, %+v, want a and b, c, and d", err, got)
	}
}

func TestSettingsAndTheirFlags(t *testing.T) {
	t.Parallel()
	var c struct {
		HTTP struct {
			Addr        string        `yaml:"addr" doc:"where it listens"`
			ReadTimeout time.Duration `yaml:"readTimeout"`
		} `yaml:"http"`
		GRPC struct {
			Addr     string   `yaml:"addr"`
			CardURLs []string `yaml:"cardURLs" doc:"URLs of cards."`
			Hosts    []string `yaml:"hosts"`
		} `yaml:"grpc"`
		Debug bool `yaml:"debug"`
	}
	c.HTTP.Addr, c.HTTP.ReadTimeout, c.GRPC.Hosts = ":80", 5*time.Second, []string{"a", "b"}
	got, err := config.Settings(&c)
	want := []config.Setting{
		{Path: "http.addr", Flag: "http-addr", Value: ":80", Doc: "where it listens"},
		{Path: "http.readTimeout", Flag: "read-timeout", Value: "5s"},
		{Path: "grpc.addr", Flag: "grpc-addr"},
		{Path: "grpc.cardURLs", Flag: "card-urls", Doc: "URLs of cards. Separated by commas."},
		{Path: "grpc.hosts", Flag: "hosts", Value: "a,b", Doc: "Separated by commas."},
		{Path: "debug", Flag: "debug", Value: "false"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Settings() = %+v, %v, want %+v", got, err, want)
	}
}
