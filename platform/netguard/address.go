package netguard

import (
	"net/netip"
	"slices"
)

// special4 is the IANA IPv4 special-purpose address registry (RFC 6890 and later), multicast, and the former class E.
// Ranges that are special but globally reachable are included: they contain no web servers.
var special4 = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared (carrier-grade NAT)
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // IETF protocol assignments
	"192.0.2.0/24",    // documentation 1
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // 6to4 relay anycast
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112 direct delegation
	"198.18.0.0/15",   // benchmarking
	"198.51.100.0/24", // documentation 2
	"203.0.113.0/24",  // documentation 3
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, with broadcast
)

// global6 is the only IPv6 space that IANA has allocated for global unicast.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 lists the entries of the IANA IPv6 special-purpose address registry (RFC 6890 and later) inside global6.
var special6 = prefixes(
	"2001::/23",         // IETF protocol assignments: Teredo, benchmarking, ORCHID, DRIP
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: carries an IPv4 address
	"2620:4f:8000::/48", // AS112 direct delegation
	"3fff::/20",         // documentation
)

// metadata lists the addresses that no option permits: link-local ones and the metadata services of cloud providers.
var metadata = prefixes(
	"169.254.0.0/16",         // AWS, GCP, Azure, ECS and EKS credentials
	"fe80::/10",              // link-local
	"100.100.100.200/32",     // Alibaba
	"168.63.129.16/32",       // Azure's host, a public address
	"192.0.0.192/32",         // Oracle
	"fd00:ec2::/32",          // AWS
	"fd20:ce::/32",           // GCP
	"fd00:42::42/128",        // Scaleway
	"fd00:c1::a9fe:a9fe/128", // Oracle
	"fd00:a9fe:a9fe::1/128",  // Akamai
	"fd00:100::100:200/128",  // Alibaba
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// isSpecial reports whether addr, unmapped and without a zone, is anything but a global unicast address.
func isSpecial(addr netip.Addr) bool {
	if addr.Is4() {
		return contains(special4, addr)
	}
	return !global6.Contains(addr) || contains(special6, addr) || isISATAP(addr)
}

func isMetadata(addr netip.Addr) bool { return contains(metadata, addr) }

// isISATAP reports whether the interface identifier contains an IPv4 address (RFC 5214 section 6.1).
func isISATAP(addr netip.Addr) bool {
	b := addr.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func contains(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}
