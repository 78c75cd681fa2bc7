package kit_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/agents/kit"
)

// newKey returns a private JSON Web Key and its public half.
func newKey(t *testing.T, kid, algorithm string) (private []byte, public ed25519.PublicKey) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	private, err = json.Marshal(jose.JSONWebKey{Key: key, KeyID: kid, Algorithm: algorithm})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	return private, public
}

// The text is what Quorate's package consultation has in a test of its own.
func TestAVerdictIsSignedWordForWord(t *testing.T) {
	t.Parallel()
	key, public := newKey(t, "k1", "EdDSA")
	sign, err := kit.SignWith(key)
	if err != nil {
		t.Fatalf("SignWith() = %v, want no error", err)
	}
	q := newQuorate(t)
	config := reviewer(q, approve)
	config.Sign = sign
	agent, stop := start(t, config)
	send(t, client(t, agent, bindings[0]), question(textDigest, "text"))
	if err := stop(); err != nil || len(q.verdicts) != 1 {
		t.Fatalf("Run() = %v with %d verdicts, want one", err, len(q.verdicts))
	}
	signature, _ := q.verdicts[0].span.Attributes().Get("quorate.consultation.signature")
	const payload = `{"attempt":2,"consultationId":"c1","feedbackDigest":"sha256:d14a58bae804a2b80b5b76a010239c88ffca1fc7951a90f8e9131beda1e23c1b",` +
		`"outcome":"approved","phase":"pre-completion","requirementId":"r1","sourceAgent":"writer","subjectDigest":"` + textDigest + `",` +
		`"targetAgent":"reviewer","taskId":"t1","traceId":"` + traceID + `",` +
		`"type":"https://github.com/quorate/quorate/extensions/consultation/v1/outcome"}`
	parsed, err := jose.ParseDetached(signature.Str(), []byte(payload), []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		t.Fatalf("ParseDetached(%q) = %v, want no error", signature.Str(), err)
	}
	if err := parsed.DetachedVerify([]byte(payload), public); err != nil || parsed.Signatures[0].Protected.KeyID != "k1" {
		t.Errorf("DetachedVerify() = %v by the key %q, want it good and by k1", err, parsed.Signatures[0].Protected.KeyID)
	}
}

func TestAVerdictThatCannotBeSignedIsNotGiven(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	config := reviewer(q, approve)
	config.Sign = func(context.Context, []byte) (string, error) { return "", errors.New("the vault is closed") }
	agent, stop := start(t, config)
	task := send(t, client(t, agent, bindings[0]), question(textDigest, "text"))
	if text := task.Status.Message; task.Status.State != a2a.TaskStateFailed || text == nil || !strings.Contains(text.Parts[0].Text(), "VERDICT_NOT_SIGNED") {
		t.Errorf("SendMessage(consultation) = %s %v, want FAILED with VERDICT_NOT_SIGNED", task.Status.State, text)
	}
	if err := stop(); err != nil || len(q.verdicts) != 0 {
		t.Errorf("Run() = %v with %d verdicts, want none", err, len(q.verdicts))
	}
}

func TestOnlyAPrivateKeyWithItsNameAndAlgorithmSigns(t *testing.T) {
	t.Parallel()
	nameless, public := newKey(t, "", "EdDSA")
	vague, _ := newKey(t, "k", "")
	other, _ := newKey(t, "k", "ES256")
	half, err := json.Marshal(jose.JSONWebKey{Key: public, KeyID: "k", Algorithm: "EdDSA"})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	for name, key := range map[string][]byte{
		"no key": nil, "no JSON": []byte("secret"), "without kid": nameless, "without alg": vague, "of another algorithm": other, "public": half,
		"symmetric": []byte(`{"kty":"oct","k":"c2VjcmV0","kid":"k","alg":"none"}`),
	} {
		if _, err := kit.SignWith(key); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("SignWith(a key that is %s) = %v, want an error without the key", name, err)
		}
	}
}
