// Package agentauth is how Quorate shows agents who it is: credentials that the operator gives it in a file, each for one origin.
//
// A credential goes with requests whose URL has exactly the scheme, host and port of its entry, whatever they are for: a card, a probe, a message over
// any binding. It goes nowhere else: not after a redirect from or to another origin, and not in the clear to another machine unless the entry says so. Who
// registers agents has no say in it. The file holds no secret, only where each is: env:NAME, or file:/path. It and they are read again when they change.
//
// What is sent is what the operator wrote. What an agent's card asks for is used only to say why an agent did not let Quorate in.
//
// AWS's request signatures (SigV4) are not among the kinds; agents behind them need a token of OAuth 2.0.
package agentauth
