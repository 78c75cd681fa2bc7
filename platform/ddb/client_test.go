package ddb_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// called records the host of the last call, and does not respond.
type called struct{ host string }

func (c *called) RoundTrip(request *http.Request) (*http.Response, error) {
	c.host = request.URL.Host
	return answer(request, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"nobody"}`), nil
}

func TestMissingCredentialsAreTold(t *testing.T) {
	for _, variable := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
	}
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(variable, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	transport := new(called)
	c, err := ddb.Open(t.Context(), ddb.Config{Region: "eu-central-1", Transport: transport})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{item("a", "")}); fault.ReasonOf(err) != "STORE_DENIED" || transport.host != "" {
		t.Errorf("BatchGet() = %v and asked %q, want STORE_DENIED and nobody asked", err, transport.host)
	}
}

func TestAConfigThatCannotBeUsedIsRefused(t *testing.T) {
	for _, variable := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
	}
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	for name, x := range map[string]struct {
		config ddb.Config
		want   string
	}{
		"an endpoint with a secret":     {ddb.Config{Endpoint: "https://user:secret@db.example"}, "ENDPOINT_INVALID"},
		"an endpoint without a host":    {ddb.Config{Endpoint: "https:///path"}, "ENDPOINT_INVALID"},
		"an endpoint of another scheme": {ddb.Config{Endpoint: "ftp://db.example"}, "ENDPOINT_INVALID"},
		"an endpoint that is no URL":    {ddb.Config{Endpoint: "https://db.example/%zz"}, "ENDPOINT_INVALID"},
		"a prefix with a slash":         {ddb.Config{Endpoint: "http://127.0.0.1:1", TablePrefix: "a/b"}, "TABLE_PREFIX_INVALID"},
		"a prefix that is too long":     {ddb.Config{Endpoint: "http://127.0.0.1:1", TablePrefix: strings.Repeat("a", 65)}, "TABLE_PREFIX_INVALID"},
		"a region with a space":         {ddb.Config{Region: "eu central"}, "REGION_INVALID"},
		"an endpoint of no port":        {ddb.Config{Endpoint: "http://127.0.0.1:99999"}, "ENDPOINT_INVALID"},
		"an endpoint with a query":      {ddb.Config{Endpoint: "https://db.example/?a=b"}, "ENDPOINT_INVALID"},
		"no region":                     {ddb.Config{}, "REGION_MISSING"},
		"all that a prefix may have":    {ddb.Config{Endpoint: "http://127.0.0.1:1", TablePrefix: "azAZ09_.-" + strings.Repeat("a", 55)}, ""},
	} {
		if c, err := ddb.Open(t.Context(), x.config); fault.ReasonOf(err) != x.want || (c == nil) != (err != nil) {
			t.Errorf("Open() with %s = %v, want %q", name, err, x.want)
		}
	}
}

func TestTheEndpointIsTheOneOfTheAWSConfiguration(t *testing.T) {
	for name, x := range map[string]struct {
		env, endpoint, want string
	}{
		"AWS's own":                   {"", "", "dynamodb.eu-central-1.amazonaws.com"},
		"the validated one":           {"AWS_USE_FIPS_ENDPOINT=true", "", "dynamodb-fips.eu-central-1.amazonaws.com"},
		"the one for IPv6":            {"AWS_USE_DUALSTACK_ENDPOINT=true", "", "dynamodb.eu-central-1.api.aws"},
		"a private one":               {"AWS_ENDPOINT_URL_DYNAMODB=https://vpce.example", "", "vpce.example"},
		"a private one of our config": {"AWS_ENDPOINT_URL_DYNAMODB=https://vpce.example", "https://other.example", "other.example"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
				t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
			}
			t.Setenv("AWS_ACCESS_KEY_ID", "nobody")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "nothing")
			if variable, value, ok := strings.Cut(x.env, "="); ok {
				t.Setenv(variable, value)
			}
			transport := new(called)
			c, err := ddb.Open(t.Context(), ddb.Config{Region: "eu-central-1", Endpoint: x.endpoint, Transport: transport})
			if err != nil {
				t.Fatalf("Open() = %v, want no error", err)
			}
			if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{item("a", "")}); err == nil || transport.host != x.want {
				t.Errorf("BatchGet() = %v and asked %q, want it to ask %q", err, transport.host, x.want)
			}
		})
	}
}

func TestTheEnvironmentDoesNotSayHowOftenACallIsTried(t *testing.T) {
	for _, variable := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "nobody")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "nothing")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c, err := ddb.Open(t.Context(), ddb.Config{Region: "eu-central-1", Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
			tries++
			return answer(request, http.StatusInternalServerError, ""), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{item("a", "")}); fault.ReasonOf(err) != "STORE_UNREACHABLE" || tries < 3 {
			t.Errorf("BatchGet() = %v after %d tries, want STORE_UNREACHABLE after several", err, tries)
		}
	})
}
