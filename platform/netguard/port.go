package netguard

import (
	"slices"
	"strconv"

	"github.com/quorate/quorate/platform/fault"
)

// badPorts are the ports that the Fetch standard blocks (https://fetch.spec.whatwg.org/#port-blocking) and the well-known
// ports of data stores and consoles, where an HTTP request can be taken for a command.
var badPorts = map[int]bool{
	0: true, 1: true, 7: true, 9: true, 11: true, 13: true, 15: true, 17: true, 19: true, 20: true, 21: true, 22: true,
	23: true, 25: true, 37: true, 42: true, 43: true, 53: true, 69: true, 77: true, 79: true, 87: true, 95: true,
	101: true, 102: true, 103: true, 104: true, 109: true, 110: true, 111: true, 113: true, 115: true, 117: true,
	119: true, 123: true, 135: true, 137: true, 139: true, 143: true, 161: true, 179: true, 389: true, 427: true,
	465: true, 512: true, 513: true, 514: true, 515: true, 526: true, 530: true, 531: true, 532: true, 540: true,
	548: true, 554: true, 556: true, 563: true, 587: true, 601: true, 636: true, 989: true, 990: true, 993: true,
	995: true, 1719: true, 1720: true, 1723: true, 2049: true, 3659: true, 4045: true, 4190: true, 5060: true,
	5061: true, 6000: true, 6566: true, 6665: true, 6666: true, 6667: true, 6668: true, 6669: true, 6679: true,
	6697: true, 10080: true,

	445:   true, // SMB
	1433:  true, // SQL Server
	1521:  true, // Oracle
	2181:  true, // ZooKeeper
	3306:  true, // MySQL
	3389:  true, // RDP
	5432:  true, // PostgreSQL
	5672:  true, // AMQP
	5900:  true, // VNC
	6379:  true, // Redis
	9042:  true, // Cassandra
	9092:  true, // Kafka
	11211: true, // memcached
	27017: true, // MongoDB
}

// checkPort returns a fault unless the policy permits port, a decimal number.
func (p *Policy) checkPort(port string) error {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return invalid("the port must be a number from 1 to 65535")
	}
	allowed := !badPorts[int(n)]
	if p.AllowPorts != nil {
		allowed = slices.Contains(p.AllowPorts, int(n))
	}
	if !allowed {
		return fault.New(fault.PermissionDenied, ReasonAddressBlocked,
			"port %d may not be called: it is not a port of a web server that is allowed here; use another port or ask an operator to allow it", n)
	}
	return nil
}
