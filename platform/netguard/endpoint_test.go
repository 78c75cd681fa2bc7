package netguard_test

import (
	"net/url"
	"testing"

	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/netguard"
)

func TestAnOperatorsEndpointMayBePrivate(t *testing.T) {
	t.Parallel()
	for endpoint, asked := range map[string][]struct {
		url     string
		allowed bool
	}{
		"http://10.0.0.1/token":  {{"http://10.0.0.1/other", true}, {"http://10.0.0.1:8080/token", false}, {"http://10.0.0.2/token", false}},
		"https://[fd00::1]":      {{"https://[fd00::1]:443/", true}, {"http://[fd00::1]/", false}},
		"http://127.0.0.1:11434": {{"http://127.0.0.1:11434/v1", true}, {"http://127.0.0.1/v1", false}},
	} {
		of, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		policy := netguard.ForEndpoint(of, nil)
		for _, a := range asked {
			u, err := url.Parse(a.url)
			if err != nil {
				t.Fatal(err)
			}
			if err := policy.CheckURL(u); (err == nil) != a.allowed {
				t.Errorf("ForEndpoint(%s).CheckURL(%s) = %v, want allowed: %t", endpoint, a.url, err, a.allowed)
			}
		}
	}
	inside := netguard.ForEndpoint(&url.URL{Scheme: "http", Host: "inside.test"}, dnstest.NewResolver(t, attackNames))
	if got, err := inside.Resolve(t.Context(), "tcp", "inside.test:80"); err != nil || len(got) != 1 || got[0].String() != "127.0.0.1:80" {
		t.Errorf("Resolve() with a resolver for the endpoint = %v, %v, want its address", got, err)
	}
}

func TestIsEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://db.example": true, "http://127.0.0.1:8000/v1/": true, "http://[::1]:65535": true, "https://my_db": true, "https://db.example.": true,
		"": false, "db.example": false, "ftp://db.example": false, "ftp://db.example:80": false, "https://": false, "https://:443": false, "https://db.example:0": false, "https://db.example:65536": false,
		"https://me@db.example": false, "https://db.example?a": false, "https://db.example/#a": false, "https://*.example": false, "https://a..example": false,
		"https://-a.example": false, "https://a b": false, "https://münchen.example": false,
	} {
		if got := netguard.IsEndpoint(text); got != want {
			t.Errorf("IsEndpoint(%q) = %t, want %t", text, got, want)
		}
	}
}
