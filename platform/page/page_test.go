package page_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

func TestATokenOpensOnlyItsOwnList(t *testing.T) {
	t.Parallel()
	codec := page.New([]byte("key"))
	token := codec.Encode("tenant|ListAgents", []byte("web"))
	flipped := []byte(token)
	flipped[3] ^= 1
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	forged := func(cursor string) string { // with the signature of token
		return base64.RawURLEncoding.EncodeToString(append(bytes.TrimSuffix(slices.Clone(raw), []byte("web")), cursor...))
	}
	tests := map[string]struct {
		codec        *page.Codec
		scope, token string
		want         string
		ok           bool
	}{
		"its own list":            {codec, "tenant|ListAgents", token, "web", true},
		"no token: the first":     {codec, "tenant|ListAgents", "", "", true},
		"another list":            {codec, "other|ListAgents", token, "", false},
		"another list as long":    {codec, "tenant|ListSkills", token, "", false},
		"another cursor":          {codec, "tenant|ListAgents", forged("wex"), "", false},
		"a scope moved by a byte": {codec, "tenant|ListAgent", forged("sweb"), "", false},
		"another key":             {page.New([]byte("other")), "tenant|ListAgents", token, "", false},
		"a changed token":         {codec, "tenant|ListAgents", string(flipped), "", false},
		"not base64":              {codec, "tenant|ListAgents", "%%%", "", false},
		"too short":               {codec, "tenant|ListAgents", "AAAA", "", false},
		"with something after it": {codec, "tenant|ListAgents", token + "%", "", false},
		"too long":                {codec, "tenant|ListAgents", codec.Encode("tenant|ListAgents", make([]byte, 8<<10)), "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.codec.Decode(test.scope, test.token)
			if !bytes.Equal(got, []byte(test.want)) || (err == nil) != test.ok {
				t.Fatalf("Decode(%q, %q) = %q, %v, want %q, ok %v", test.scope, test.token, got, err, test.want, test.ok)
			}
			if !test.ok && fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
				t.Errorf("Decode(%q, %q) reason = %q, want PAGE_TOKEN_INVALID", test.scope, test.token, fault.ReasonOf(err))
			}
		})
	}
}

func TestTheEndHasNoToken(t *testing.T) {
	t.Parallel()
	if got := page.New(nil).Encode("s", nil); got != "" {
		t.Errorf("Encode(s, nil) = %q, want the empty string", got)
	}
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	for requested, want := range map[int32]int{0: 50, 1: 1, 1000: 1000, 1001: 1000, math.MaxInt32: 1000} {
		if got := page.Size(requested); got != want {
			t.Errorf("Size(%d) = %d, want %d", requested, got, want)
		}
	}
}
