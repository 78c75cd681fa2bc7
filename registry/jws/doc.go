// Package jws checks the signatures of A2A agent cards: JSON Web Signatures over the card's canonical form, as section 8.4 of
// the A2A specification and RFC 8785 say.
//
// Keys are the caller's own. What a card says about where its key is (jku, x5u, jwk, x5c) is never read: whoever wrote the card
// wrote that too. A good signature shows who published a card, and not that what it says is true.
package jws
