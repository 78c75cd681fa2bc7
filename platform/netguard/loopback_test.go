package netguard_test

import (
	"testing"

	"github.com/quorate/quorate/platform/netguard"
)

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "128.0.0.1": false, "10.0.0.1": false, "localhost.example": false, "127.0.0.1.example": false, "[::1]": false, "0177.0.0.1": false,
	} {
		if got := netguard.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestIsLoopbackURL(t *testing.T) {
	t.Parallel()
	for rawURL, want := range map[string]bool{
		"http://127.0.0.1:8080": true, "https://[::1]/path": true, "http://localhost": true,
		"": false, "127.0.0.1:8080": false, "http://127.0.0.1.example": false, "http://localhost@host.example": false, "http://[::1": false,
	} {
		if got := netguard.IsLoopbackURL(rawURL); got != want {
			t.Errorf("IsLoopbackURL(%q) = %v, want %v", rawURL, got, want)
		}
	}
}

func TestIsPrivateURL(t *testing.T) {
	t.Parallel()
	for rawURL, want := range map[string]bool{
		"https://host.example": true, "https://127.0.0.1": true, "http://127.0.0.1:8080/path": true, "http://localhost": true,
		"": false, "https://": false, "http://host.example": false, "http://localhost@host.example": false, "ftp://127.0.0.1": false, "https://[::1": false,
	} {
		if got := netguard.IsPrivateURL(rawURL); got != want {
			t.Errorf("IsPrivateURL(%q) = %v, want %v", rawURL, got, want)
		}
	}
}
