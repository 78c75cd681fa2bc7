// Package netguard keeps requests whose URL came from outside (agent cards, webhooks, pages to fetch) away from
// everything that is not a public web server.
//
// There are two layers. CheckURL refuses a URL by its text, before anything is resolved, for an early and clear error.
// DialContext decides: it looks at the address that is about to be dialled, after DNS, so a name that changes its answer
// between two look-ups ("DNS rebinding"), an odd spelling of 127.0.0.1 or a redirect gains nothing. Client puts both
// layers around every request and every redirect, and never uses a proxy from the environment.
//
// Refused addresses are the IANA special-purpose registries (IPv4, IPv6), IPv6 outside 2000::/3, transition addresses that carry an
// IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP), zoned addresses, cloud metadata services and the host's own
// addresses. A network that reaches IPv4 by NAT64 only is therefore not supported.
//
// Refusals are faults: PermissionDenied ADDRESS_BLOCKED for an address, a port or a name that always means this host, and
// InvalidArgument URL_INVALID for a URL that no client should send. Their message never tells what a name resolved to; their
// Cause does, for the log.
package netguard
