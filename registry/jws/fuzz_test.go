package jws_test

import (
	"bytes"
	"testing"

	"github.com/quorate/quorate/registry/jws"
)

func FuzzPayloads(f *testing.F) {
	for _, seed := range []string{"{" + body + "}", `{"signatures":[{"protected":"e30","signature":"AA"}]}`, `{"a":1e400}`, `{"a":"\ud800"}`, `[1]`, `{"a":[1E30,-0]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, card []byte) {
		if len(card) > 1<<16 {
			return
		}
		if got := jws.Verify(card, nil); got.State == jws.Verified {
			t.Errorf("Verify(%q) without any key = %+v, want anything but verified", card, got)
		}
		payloads, err := jws.Payloads(card)
		if err != nil {
			return
		}
		for _, payload := range payloads {
			again, err := jws.Payloads(payload)
			if err != nil || !bytes.Equal(again[len(again)-1], payload) {
				t.Errorf("Payloads(%q) = %q, %v, want it as it is: a canonical form has no other", payload, again, err)
			}
		}
	})
}
