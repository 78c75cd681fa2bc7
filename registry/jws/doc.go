// Package jws checks the signatures of A2A agent cards: JSON Web Signatures over the card's canonical form, by section 8.4 of the A2A specification
// and RFC 8785, or over the form that the A2A project's SDK for Python signs instead.
//
// Keys come from the caller. What a card says about where its key is (jku, x5u, jwk, x5c) is never used, since the author of the card wrote that too.
// A valid signature shows who published a card, not that its content is true.
package jws
