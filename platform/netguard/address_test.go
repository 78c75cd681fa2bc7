package netguard_test

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/quorate/quorate/platform/netguard"
)

// TestSpecialAddressesAreRefusedToTheirEnds has the ranges of the IANA registries by their first and last address, and asks what is beside them, too.
func TestSpecialAddressesAreRefusedToTheirEnds(t *testing.T) {
	t.Parallel()
	policy := &netguard.Policy{}
	check := func(addr netip.Addr) error {
		return policy.CheckURL(&url.URL{Scheme: "http", Host: netip.AddrPortFrom(addr, 80).String()})
	}
	ranges := [][2]netip.Addr{}
	for first, last := range map[string]string{
		"0.0.0.0": "0.255.255.255", "10.0.0.0": "10.255.255.255", "100.64.0.0": "100.127.255.255", "127.0.0.0": "127.255.255.255", "169.254.0.0": "169.254.255.255",
		"172.16.0.0": "172.31.255.255", "192.0.0.0": "192.0.0.255", "192.0.2.0": "192.0.2.255", "192.31.196.0": "192.31.196.255", "192.52.193.0": "192.52.193.255",
		"192.88.99.0": "192.88.99.255", "192.168.0.0": "192.168.255.255", "192.175.48.0": "192.175.48.255", "198.18.0.0": "198.19.255.255",
		"198.51.100.0": "198.51.100.255", "203.0.113.0": "203.0.113.255", "224.0.0.0": "255.255.255.255",
		"::": "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::": "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::": "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
		"2002::": "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::": "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
		"3fff::": "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	} {
		ranges = append(ranges, [2]netip.Addr{netip.MustParseAddr(first), netip.MustParseAddr(last)})
	}
	for _, r := range ranges {
		for _, special := range r {
			if err := check(special); err == nil {
				t.Errorf("CheckURL(http://%s) = nil, want it refused", special)
			}
		}
		for _, beside := range []netip.Addr{r[0].Prev(), r[1].Next()} {
			if err := check(beside); beside.IsValid() && err != nil {
				t.Errorf("CheckURL(http://%s) = %v, want nil: it is public", beside, err)
			}
		}
	}
}
