package jws_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/jws"
)

// body is a card without signatures and its canonical form.
const (
	body      = `"version":"1.0.0", "name":"a", "skills":[], "capabilities":{"streaming":false,"extensions":[]}, "provider":null`
	canonical = `{"capabilities":{"streaming":false},"name":"a","skills":[],"version":"1.0.0"}`
)

func signed(signatures ...string) []byte {
	return []byte("{" + body + `,"signatures":[` + strings.Join(signatures, ",") + "]}")
}

func TestVerify(t *testing.T) {
	t.Parallel()
	ec, ed, rsa, other := ecPair(t, "ec"), edPair(t, "ed"), rsaPair(t, "rsa"), ecPair(t, "other")
	p384, p521 := curvePair(t, "p384", elliptic.P384()), curvePair(t, "p521", elliptic.P521())
	keys := []jws.Key{ec.public, ed.public, rsa.public, p384.public, p521.public}
	const es256 = `{"alg":"ES256","typ":"JOSE","kid":"ec"}`
	good := ec.sign(t, es256, []byte(canonical))
	point, err := ec.private.(*ecdsa.PrivateKey).PublicKey.Bytes()
	if err != nil {
		t.Fatalf("Bytes() = %v, want no error", err)
	}
	tests := map[string]struct {
		card  []byte
		state string
		key   string
		text  string // in the reason
	}{
		"no signatures":                          {[]byte("{" + body + "}"), jws.Unsigned, "", "not signed"},
		"an empty list is no signature":          {signed(), jws.Unsigned, "", "not signed"},
		"ES256 by a pinned key":                  {signed(good), jws.Verified, "ec", ""},
		"ES384 by a pinned key":                  {signed(p384.sign(t, `{"alg":"ES384","kid":"p384"}`, []byte(canonical))), jws.Verified, "p384", ""},
		"ES512 by a pinned key":                  {signed(p521.sign(t, `{"alg":"ES512","kid":"p521"}`, []byte(canonical))), jws.Verified, "p521", ""},
		"an algorithm of another curve":          {signed(ec.sign(t, `{"alg":"ES256","kid":"p384"}`, []byte(canonical))), jws.Invalid, "p384", "does not fit"},
		"EdDSA by a pinned key":                  {signed(ed.sign(t, `{"alg":"EdDSA","kid":"ed"}`, []byte(canonical))), jws.Verified, "ed", ""},
		"RS256 by a pinned key":                  {signed(rsa.sign(t, `{"alg":"RS256","kid":"rsa"}`, []byte(canonical))), jws.Verified, "rsa", ""},
		"a key that nobody pinned":               {signed(other.sign(t, `{"alg":"ES256","kid":"other"}`, []byte(canonical))), jws.Untrusted, "other", `"other"`},
		"a hostile jku changes nothing":          {signed(other.sign(t, `{"alg":"ES256","kid":"other","jku":"http://169.254.169.254/keys"}`, []byte(canonical))), jws.Untrusted, "other", "jku"},
		"a key in the header is not read":        {signed(other.sign(t, `{"alg":"ES256","kid":"other","jwk":`+string(other.jwk)+`}`, []byte(canonical))), jws.Untrusted, "other", ""},
		"the name of a pinned key with another":  {signed(other.sign(t, es256, []byte(canonical))), jws.Invalid, "ec", "not by the key"},
		"rotation: one good signature is enough": {signed(other.sign(t, `{"alg":"ES256","kid":"next"}`, []byte(canonical)), good), jws.Verified, "ec", ""},
		"a wrong one is not hidden by others":    {signed(other.sign(t, es256, []byte(canonical)), other.sign(t, `{"alg":"ES256","kid":"x"}`, []byte(canonical))), jws.Invalid, "ec", ""},
		"nor when they come first":               {signed(other.sign(t, `{"alg":"ES256","kid":"x"}`, []byte(canonical)), other.sign(t, es256, []byte(canonical))), jws.Invalid, "ec", ""},
		"alg none":                               {signed(entry(`{"alg":"none","kid":"ec"}`, []byte{1})), jws.Invalid, "", "not allowed"},
		"alg none without a signature":           {signed(entry(`{"alg":"none","kid":"ec"}`, nil)), jws.Invalid, "", ""},
		"HS256 with the public key as secret":    {signed(hmacEntry(`{"alg":"HS256","kid":"ec"}`, []byte(canonical), point)), jws.Invalid, "", "not allowed"},
		"HS256 with the key's JSON as secret":    {signed(hmacEntry(`{"alg":"HS256","kid":"rsa"}`, []byte(canonical), rsa.jwk)), jws.Invalid, "", "not allowed"},
		"an algorithm of another kind of key":    {signed(ec.sign(t, `{"alg":"ES256","kid":"rsa"}`, []byte(canonical))), jws.Invalid, "rsa", "does not fit"},
		"no kid":                                 {signed(ec.sign(t, `{"alg":"ES256"}`, []byte(canonical))), jws.Invalid, "", "kid"},
		"a kid that is not protected":            {[]byte("{" + body + `,"signatures":[` + strings.Replace(ec.sign(t, `{"alg":"ES256"}`, []byte(canonical)), "{", `{"header":{"kid":"ec"},`, 1) + "]}"), jws.Invalid, "", "kid"},
		"a header with a name twice":             {signed(ec.sign(t, `{"alg":"ES256","kid":"ec","kid":"ec"}`, []byte(canonical))), jws.Invalid, "", ""},
		"a critical header that is not known":    {signed(ec.sign(t, `{"alg":"ES256","kid":"ec","crit":["x"],"x":1}`, []byte(canonical))), jws.Invalid, "ec", ""},
		"another card":                           {[]byte(strings.Replace(string(signed(good)), "1.0.0", "1.0.1", 1)), jws.Invalid, "ec", "not by the key"},
		"a field more":                           {[]byte(strings.Replace(string(signed(good)), "{", `{"iconUrl":"",`, 1)), jws.Invalid, "ec", "not by the key"},
		"a name twice":                           {[]byte(strings.Replace(string(signed(good)), "{", `{"name":"b",`, 1)), jws.Invalid, "", "canonical"},
		"another order and other blanks":         {[]byte(`{"signatures":[` + good + `],"skills" : [] ,` + strings.Replace(body, `, "skills":[]`, "", 1) + `}`), jws.Verified, "ec", ""},
		"defaults signed as they are":            {signed(ec.sign(t, es256, []byte(`{"capabilities":{"extensions":[],"streaming":false},"name":"a","provider":null,"skills":[],"version":"1.0.0"}`))), jws.Verified, "ec", ""},
		"too many":                               {signed(strings.Split(strings.Repeat(good+" ", 9), " ")[:9]...), jws.Invalid, "", "most is 8"},
		"not a list":                             {[]byte("{" + body + `,"signatures":{}}`), jws.Invalid, "", "cannot be read"},
		"blanks in base64":                       {[]byte(strings.Replace(string(signed(good)), `"signature":"`, `"signature":" `, 1)), jws.Invalid, "", "base64url"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := jws.Verify(test.card, keys)
			if got.State != test.state || got.KeyID != test.key || !strings.Contains(got.Reason, test.text) || (got.State == jws.Verified) != (got.Reason == "") {
				t.Errorf("Verify(%s) = %+v, want %s, %q, a reason with %q", test.card, got, test.state, test.key, test.text)
			}
		})
	}
	if got := jws.Verify(signed(good), []jws.Key{other.public}); got.State != jws.Untrusted {
		t.Errorf("Verify() after the key was taken away = %+v, want untrusted", got)
	}
	long := strings.Repeat("k", 1000)
	if got := jws.Verify(signed(other.sign(t, `{"alg":"ES256","kid":"`+long+`"}`, []byte(canonical))), keys); got.State != jws.Untrusted || len(got.KeyID) > 140 || len(got.Reason) > 300 {
		t.Errorf("Verify() of a signature with a kid of 1000 bytes = %+v, want untrusted, with the beginning of the kid", got)
	}
}

func TestPayloadIsWhatTheStandardsSay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ card, want string }{
		"the example of A2A 8.4.1": {
			`{"name":"Example Agent","description":"","capabilities":{"streaming":false,"pushNotifications":false,"extensions":[]},"skills":[]}`,
			`{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}`,
		},
		"defaults deep inside": {
			`{"skills":[{"id":"a","tags":[],"examples":[],"securityRequirements":[{"schemes":{"s":{"list":[]}}},{"schemes":{}}]}],"securityRequirements":[],` +
				`"supportedInterfaces":[{"url":"","tenant":""}],"securitySchemes":{"s":{"httpAuthSecurityScheme":{"scheme":"","bearerFormat":""}},` +
				`"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"","scopes":{},"refreshUrl":""},"implicit":{"scopes":{}}}}}}}`,
			`{"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{},"tokenUrl":""},"implicit":{}}}},` +
				`"s":{"httpAuthSecurityScheme":{"scheme":""}}},"skills":[{"id":"a","securityRequirements":[{"schemes":{"s":{}}},{}],"tags":[]}],"supportedInterfaces":[{"url":""}]}`,
		},
		"defaults of each kind of scheme": {
			`{"securitySchemes":{"a":{"apiKeySecurityScheme":{"description":"","location":"","name":""}},"h":{"httpAuthSecurityScheme":{"description":"","scheme":""}},` +
				`"i":{"openIdConnectSecurityScheme":{"description":"","openIdConnectUrl":""}},"m":{"mtlsSecurityScheme":{"description":""}},` +
				`"o":{"oauth2SecurityScheme":{"description":"","oauth2MetadataUrl":"","flows":{}}}}}`,
			`{"securitySchemes":{"a":{"apiKeySecurityScheme":{"location":"","name":""}},"h":{"httpAuthSecurityScheme":{"scheme":""}},` +
				`"i":{"openIdConnectSecurityScheme":{"openIdConnectUrl":""}},"m":{"mtlsSecurityScheme":{}},"o":{"oauth2SecurityScheme":{"flows":{}}}}}`,
		},
		"an extension's parameters are its own": {
			`{"capabilities":{"extensions":[{"uri":"u","required":false,"description":"","params":{"required":false,"list":[]}}]}}`,
			`{"capabilities":{"extensions":[{"params":{"list":[],"required":false},"uri":"u"}]}}`,
		},
		"empty values of other types stay":  {`{"securitySchemes":[],"securityRequirements":{},"iconUrl":""}`, `{"iconUrl":"","securityRequirements":{},"securitySchemes":[]}`},
		"fields that are not known stay":    {`{"x":"","y":[],"z":false,"n":null}`, `{"n":null,"x":"","y":[],"z":false}`},
		"signatures are left out":           {`{"signatures":[{"protected":"x"}],"name":"a"}`, `{"name":"a"}`},
		"keys sort by UTF-16 code units":    {`{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\u0080":4,"1":5,"\r":6,"\u00f6":7}`, "{\"\\r\":6,\"1\":5,\"\u0080\":4,\"ö\":7,\"€\":3,\"\U0001F600\":2,\"\ufb33\":1}"},
		"numbers as ECMAScript writes them": {`{"a":[1E30,4.50,2e-3,0.000000000000000000000000001,-0,333333333.33333329,1e21,100000000000000000000]}`, `{"a":[1e+30,4.5,0.002,1e-27,0,333333333.3333333,1e+21,100000000000000000000]}`},
		"escapes only where they must be":   {`{"a":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/<>&\u2028"}`, "{\"a\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/<>&\u2028\"}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := jws.Payloads([]byte(test.card))
			if err != nil || string(got[0]) != test.want {
				t.Errorf("Payloads(%s) = %s, %v, want first %s", test.card, got, err, test.want)
			}
		})
	}
}

func TestWhatHasNoCanonicalFormIsRefused(t *testing.T) {
	t.Parallel()
	for name, card := range map[string]string{
		"a name twice":            `{"a":1,"a":2}`,
		"a name twice, escaped":   `{"a":1,"\u0061":2}`,
		"a name twice deep down":  `{"x":[{"b":1,"b":1}]}`,
		"a number out of range":   `{"a":1e400}`,
		"half a surrogate pair":   `{"a":"\ud800"}`,
		"not an object":           `[1]`,
		"something after the end": `{"a":1}{}`,
		"very deep nesting":       strings.Repeat("[", 1<<20),
	} {
		if got, err := jws.Payloads([]byte(card)); err == nil {
			t.Errorf("Payloads(%s) = %s, want an error for %s", card, got, name)
		}
	}
}

func TestTheNestingOfACardIsBounded(t *testing.T) {
	t.Parallel()
	const deep = 1 << 16
	if got, err := jws.Canonical([]byte(strings.Repeat("[", deep) + strings.Repeat("]", deep))); err == nil {
		t.Errorf("Canonical() of lists %d deep = %d bytes, want an error", deep, len(got))
	}
}

func TestAKeyThatNamesItsAlgorithmIsForThatOneOnly(t *testing.T) {
	t.Parallel()
	pair := rsaPair(t, "rsa")
	made := signed(pair.sign(t, `{"alg":"RS256","kid":"rsa"}`, []byte(canonical)))
	for algorithm, want := range map[string]string{"RS256": jws.Verified, "PS256": jws.Invalid} {
		key, err := jws.ParseKey([]byte(strings.Replace(string(pair.jwk), "{", `{"use":"sig","alg":"`+algorithm+`",`, 1)))
		if err != nil {
			t.Fatalf("ParseKey() of a key for %s = %v, want no error", algorithm, err)
		}
		if got := jws.Verify(made, []jws.Key{key}); got.State != want {
			t.Errorf("Verify() of RS256 with a key for %s = %+v, want %s", algorithm, got, want)
		}
	}
}

func TestParseKeyTakesAKeyForVerifying(t *testing.T) {
	t.Parallel()
	ec := string(ecPair(t, "k").jwk)
	for _, fields := range []string{`"key_ops":["verify"]`, `"use":"sig","key_ops":["sign","verify"]`} {
		if _, err := jws.ParseKey([]byte(strings.Replace(ec, "{", "{"+fields+",", 1))); err != nil {
			t.Errorf("ParseKey() of a key with %s = %v, want no error", fields, err)
		}
	}
	longest := strings.Replace(ec, `"kid":"k"`, `"kid":"`+strings.Repeat("k", 128)+`"`, 1)
	longest += strings.Repeat(" ", jws.MaxKeyBytes-len(longest))
	if _, err := jws.ParseKey([]byte(longest)); err != nil {
		t.Errorf("ParseKey() of %d bytes with a kid of 128 = %v, want no error", len(longest), err)
	}
}

func TestParseKeyRefuses(t *testing.T) {
	t.Parallel()
	ec := string(ecPair(t, "k").jwk)
	for name, test := range map[string]struct{ jwk, text string }{
		"a private key":           {strings.Replace(ec, "{", `{"d":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE",`, 1), "public"},
		"a symmetric key":         {`{"kty":"oct","k":"AAAA","kid":"k"}`, "public"},
		"no kid":                  {strings.Replace(ec, `"kid":"k"`, `"kid":""`, 1), "kid"},
		"a long kid":              {strings.Replace(ec, `"kid":"k"`, `"kid":"`+strings.Repeat("k", 129)+`"`, 1), "kid"},
		"a key for encryption":    {strings.Replace(ec, "{", `{"use":"enc",`, 1), "not for signatures"},
		"a key for signing only":  {strings.Replace(ec, "{", `{"key_ops":["sign"],`, 1), "key_ops"},
		"a key for nothing":       {strings.Replace(ec, "{", `{"key_ops":[],`, 1), "key_ops"},
		"no list of operations":   {strings.Replace(ec, "{", `{"key_ops":"verify",`, 1), "key_ops"},
		"operations of null":      {strings.Replace(ec, "{", `{"key_ops":null,`, 1), "key_ops"},
		"operations and a number": {strings.Replace(ec, "{", `{"key_ops":["verify",5],`, 1), "key_ops"},
		"contradicting use":       {strings.Replace(ec, "{", `{"use":"sig","key_ops":["encrypt"],`, 1), "key_ops"},
		"operations in two cases": {strings.Replace(ec, "{", `{"key_ops":["sign"],"Key_Ops":["verify"],`, 1), "key_ops"},
		"the wrong algorithm":     {strings.Replace(ec, "{", `{"alg":"HS256",`, 1), "does not fit"},
		"a short RSA key":         {`{"kty":"RSA","kid":"k","e":"AQAB","n":"` + strings.Repeat("u", 171) + `"}`, "bits"},
		"a long RSA key":          {`{"kty":"RSA","kid":"k","e":"AQAB","n":"` + strings.Repeat("u", 684) + `"}`, "modulus too large"},
		"a key on another curve":  {`{"kty":"EC","crv":"secp256k1","kid":"k","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}`, "JSON Web Key"},
		"a point off the curve":   {`{"kty":"EC","crv":"P-256","kid":"k","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}`, ""},
		"something else":          {`[]`, "JSON Web Key"},
		"a key of no kind":        {`{}`, "JSON Web Key: missing json web key type"},
		"a key of too many bytes": {ec + strings.Repeat(" ", 16<<10), "more than"},
	} {
		if key, err := jws.ParseKey([]byte(test.jwk)); err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("ParseKey(%s) = %+v, %v, want an error with %q", name, key, err, test.text)
		}
	}
}
