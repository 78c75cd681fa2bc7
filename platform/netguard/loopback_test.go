package netguard_test

import (
	"testing"

	"github.com/quorate/quorate/platform/netguard"
)

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "128.0.0.1": false, "10.0.0.1": false, "localhost.example": false, "127.0.0.1.example": false, "[::1]": false, "0177.0.0.1": false,
	} {
		if got := netguard.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", host, got, want)
		}
	}
}
