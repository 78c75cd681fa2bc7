// Package agentauth authenticates Quorate to agents, with credentials that the operator puts into a file, each for one origin.
//
// A credential is sent with requests whose URL has exactly the scheme, host and port of its entry, whatever they are for: a card, a probe, a message
// over any binding. It is sent nowhere else: not after a redirect from or to another origin, and not unencrypted to another machine unless the entry
// says so. Whoever registers agents has no influence on it. The file contains no secrets, only references: env:NAME or file:/path. The file and the
// secrets are reloaded when they change.
//
// What is sent is what the operator has configured. The security schemes in an agent's card are used only to explain why an agent rejected Quorate.
//
// AWS request signatures (SigV4) are not supported; agents behind them need an OAuth 2.0 token.
package agentauth
