package reviewer_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/reviewer"
	"github.com/quorate/quorate/platform/auth"
)

// Samples are put together so that no secret scanner stumbles over this file.
var (
	awsKey   = "AKIA" + "IOSFODNN7EXAMPLE"
	github   = "ghp_" + strings.Repeat("a1B2", 9)
	slack    = "xoxb-" + "123456789012-abcdefABCDEF"
	keyBlock = "-----BEGIN RSA " + "PRIVATE KEY-----"
	random   = "q7Rz0pXv" + "2LkT9wYb4NcJ6mHd"
)

// review returns the verdict about a text.
func review(t *testing.T, text string) kit.Outcome {
	t.Helper()
	got, err := reviewer.Config().Reviewer(t.Context(), kit.Review{Parts: []*a2a.Part{a2a.NewTextPart(text)}})
	if err != nil {
		t.Fatalf("Reviewer(%q) = %v, want a verdict", text, err)
	}
	return got
}

func TestReview(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want string // the feedback's start; "" approves
	}{
		"prose":                                 {"The quick brown fox.\nIt jumps.", ""},
		"empty":                                 {"", "empty: "},
		"white space":                           {" \n\t\r\n", "empty: "},
		"an AWS access key id":                  {"a\nb\nkey " + awsKey + " c", "aws-access-key-id: line 3 holds"},
		"a word that only starts like one":      {awsKey + "MORE", ""},
		"a private key":                         {"\n" + keyBlock + "\nMII...", "private-key: line 2 holds"},
		"a public key":                          {"-----BEGIN PUBLIC KEY-----", ""},
		"a PGP private key":                     {"-----BEGIN PGP " + "PRIVATE KEY BLOCK-----", "private-key: line 1 holds"},
		"a GitHub token":                        {"x" + "=" + github, "github-token: line 1 holds"},
		"a Slack token":                         {slack, "slack-token: line 1 holds"},
		"a Quorate token":                       {"use " + auth.NewToken("agent").Reveal(), "quorate-token: line 1 holds"},
		"a password behind an equals sign":      {"password = correcthorse", "password-assignment: line 1 holds"},
		"a password in JSON":                    {`{"db_password": "correcthorse"}`, "password-assignment: line 1 holds"},
		"a password in YAML":                    {"PASSWORD: hunter2", "password-assignment: line 1 holds"},
		"prose about a password":                {"Password: required. A password is a secret word.", ""},
		"a placeholder":                         {"password = <password>\npwd=${PWD}\npassword: '***'", ""},
		"a random value with a telling name":    {"api_key: " + random, "high-entropy-assignment: line 1 holds"},
		"a random value with a harmless name":   {"commit: " + random, ""},
		"a dull value with a telling name":      {"token_type: aaaaaaaaaaaaaaaaaaaaaaaa1", ""},
		"digits with a telling name":            {"token_id: 12345678901234567890", ""},
		"words with a telling name":             {"secret_name: the_name_of_the_secret_here", ""},
		"a secret at the end of a windows line": {"x\r\npassword=hunter22\r\n", "password-assignment: line 2 holds"},
		"a key that begins a line in JSON":      {`{"text": "see:\n` + awsKey + `"}`, "aws-access-key-id: line 1 holds"},
		"a token behind a tab in JSON":          {`{"text": "\t` + slack + `"}`, "slack-token: line 1 holds"},
		"a token behind an escaped character":   {`{"text": "\u2028` + github + `"}`, "github-token: line 1 holds"},
		"a quoted password in JSON":             {`{"text": "password=\"correcthorse\""}`, "password-assignment: line 1 holds"},
		"JSON with a password in JSON":          {`{"text": "{\"password\": \"correcthorse\"}"}`, "password-assignment: line 1 holds"},
		"JSON with a random value in JSON":      {`{"text": "{\"api_key\": \"` + random + `\"}"}`, "high-entropy-assignment: line 1 holds"},
		"a quoted placeholder in JSON":          {`{"text": "password=\"<password>\""}`, ""},
		"a path with a word like a key":         {`C:\temp\` + awsKey + "MORE", ""},
		"two findings":                          {awsKey + "\n" + github, "aws-access-key-id: line 1 holds an AWS access key id; github-token: line 2 holds"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := review(t, test.text)
			verdict := kit.Rejected
			if test.want == "" {
				verdict = kit.Approved
			}
			if got.Verdict != verdict || !strings.HasPrefix(got.Feedback, test.want) {
				t.Errorf("Reviewer(%q) = %s %q, want %s %q", test.text, got.Verdict, got.Feedback, verdict, test.want)
			}
		})
	}
}

func TestFeedbackNeverHoldsTheSecret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{awsKey, github, slack, keyBlock, "correcthorse", random} {
		got := review(t, "password = "+secret+"\ntoken: "+secret)
		if got.Verdict != kit.Rejected || strings.Contains(got.Feedback, secret) {
			t.Errorf("Reviewer() of a text with a secret = %s %q, want a rejection that does not hold it", got.Verdict, got.Feedback)
		}
	}
}

func TestFeedbackOfManyFindingsStaysShort(t *testing.T) {
	t.Parallel()
	got := review(t, strings.Repeat("password = correcthorse\n", 1000))
	if len(got.Feedback) > kit.MaxFeedbackBytes || !strings.HasSuffix(got.Feedback, "; and 992 more") {
		t.Errorf("Reviewer() of 1,000 passwords = %d bytes %q, want at most %d that end with the count", len(got.Feedback), got.Feedback, kit.MaxFeedbackBytes)
	}
}

// TestDeepDataTakesNoMoreThanItHas is not parallel, because it measures what this process allocates.
func TestDeepDataTakesNoMoreThanItHas(t *testing.T) {
	const deep, wide, most = 5_000, 10_000, 16 << 20
	var value any = make([]any, wide)
	for range deep {
		value = []any{value}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := reviewer.Config().Reviewer(t.Context(), kit.Review{Parts: []*a2a.Part{a2a.NewDataPart(value)}})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || got.Verdict != kit.Approved || took > most {
		t.Errorf("a review of %d values at a depth of %d = %v, %v, and takes %d bytes, want approved and at most %d", wide, deep, got, err, took, most)
	}
}

func FuzzReview(f *testing.F) {
	f.Add("password = hunter22")
	f.Fuzz(func(t *testing.T, text string) {
		once, twice := review(t, text), review(t, text)
		if once != twice || (once.Verdict != kit.Approved && once.Verdict != kit.Rejected) {
			t.Errorf("Reviewer(%q) = %v, then %v, want one verdict", text, once, twice)
		}
	})
}
