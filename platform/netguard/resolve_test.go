package netguard_test

import (
	"net"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

func TestResolveRefusesWhatDialingRefuses(t *testing.T) {
	policy := &netguard.Policy{Resolver: dnstest.NewResolver(t, attackNames), AllowOrigins: []string{"inside.test:80"}}
	for addr, want := range map[string]string{
		"93.184.216.34:80": "93.184.216.34:80", "[2606:4700::1111]:65535": "[2606:4700::1111]:65535", "inside.test:80": "127.0.0.1:80",
		"inside.test:81": "ADDRESS_BLOCKED", "127.0.0.1:80": "ADDRESS_BLOCKED", "[::1%lo]:80": "", "both.test:80": "ADDRESS_BLOCKED", "metadata.test:80": "ADDRESS_BLOCKED",
		"93.184.216.34:22": "ADDRESS_BLOCKED", "93.184.216.34": "URL_INVALID", "93.184.216.34:99999": "", "empty.test:80": "",
	} {
		got, err := policy.Resolve(t.Context(), "tcp", addr)
		switch {
		case strings.Contains(want, ":"):
			if err != nil || len(got) != 1 || got[0].String() != want {
				t.Errorf("Resolve(%s) = %v, %v, want %s", addr, got, err, want)
			}
		case err == nil || want != "" && fault.ReasonOf(err) != want:
			t.Errorf("Resolve(%s) = %v, %v, want a refusal %s", addr, got, err, want)
		}
	}
	if _, err := policy.Resolve(t.Context(), "udp", net.JoinHostPort("93.184.216.34", "80")); fault.ReasonOf(err) != netguard.ReasonAddressBlocked {
		t.Errorf("Resolve(udp) = %v, want ADDRESS_BLOCKED", err)
	}
}
