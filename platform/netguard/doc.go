// Package netguard protects against server-side request forgery: it lets requests whose URL came from outside (agent cards,
// webhooks, pages to fetch) reach public web servers only.
//
// There are two layers. CheckURL refuses a URL by its text, before anything is resolved, for an early and clear error.
// DialContext decides: it checks the address that is about to be dialled, after DNS. So a name that resolves differently the
// second time (DNS rebinding), an odd spelling of 127.0.0.1 and a redirect are all of no use to an attacker. Client puts both
// layers around every request and every redirect, and never uses a proxy from the environment.
//
// Refused are the addresses in the IANA special-purpose registries (IPv4, IPv6), IPv6 outside 2000::/3, transition addresses
// that contain an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP), zoned addresses, cloud metadata services and the
// host's own addresses. So networks that reach IPv4 only through NAT64 are not supported.
//
// Refusals are faults: PermissionDenied ADDRESS_BLOCKED for an address, a port or a name that always means this host, and
// InvalidArgument URL_INVALID for a URL that no client should send. Their message never says what a name resolved to; their
// Cause does, for the log.
package netguard
