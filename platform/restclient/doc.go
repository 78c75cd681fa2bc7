// Package restclient calls Quorate's REST API from Go.
//
// It carries protobuf messages as protojson, turns the API's errors back into faults and bounds what it reads. It follows
// no redirect: the API has none, and a token must not travel to another address.
package restclient
