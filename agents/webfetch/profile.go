package webfetch

import (
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Engine says what reads a page.
type Engine string

// Engines. An empty one means the profile's.
const (
	EngineHTTP   Engine = "http"   // this process over HTTP, with a browser if asked for
	EngineRemote Engine = "remote" // a Markdown service
)

// longBody says what to do with a body longer than max_size.
type longBody int

const (
	refuseBody        longBody = iota
	cutBody                    // read as much as fits
	cutUndeclaredBody          // read as much as fits, unless the declared length is already too much
)

// mark says where to put the truncation mark.
type mark int

const (
	noMark    mark = iota
	markText       // only in plain text answers
	markInAll      // in the content
)

// Profile is a set of defaults, limits and behaviours. Each except Default is exactly that of one earlier fetch tool: a program written for that tool
// finds the same numbers and texts here.
type Profile struct {
	Name      string
	Limits    Limits // for requests that name none
	Format    Format // for requests that name none
	UserAgent string // empty: the Fetcher's
	Language  string // of messages, for callers that ask for none: "en" or "ja"
	Engine    Engine
	Allowlist bool // only listed hosts may be read, even if the Fetcher is open

	most     Limits // hard limits
	clamp    bool   // values above the hard limits are lowered instead of refused
	lenient  bool   // an unknown format means the default instead of an error
	anyType  bool   // content other than HTML, text and JSON is returned unchanged
	verbatim bool   // text is made of HTML and PDF only, JSON of JSON only; other documents are returned as the text that they are
	bodyHTML bool   // the format html is the document unchanged instead of its main content
	overlong longBody
	mark     mark
	polite   bool            // obeys robots.txt, uses the cache and retries
	messages map[Code]string // in Language
}

// Names of the profiles. The numbers of the documents that they come from are names too: 000, 001, 002, 003.
const (
	ProfileDefault = "default" // the superset: every feature, strict limits
	ProfileSlack   = "slack"   // 000: 10 s, 512 KB, 14,000 characters of text, Japanese
	ProfileADK     = "adk"     // 001: 30 s and at most 5 min, 1 MB and at most 50 MB, text
	ProfileGLaDOS  = "glados"  // 002: 50,000 characters of Markdown, allowlist
	ProfileMyao    = "myao"    // 003: 60 s, 20,000 characters of Markdown from a remote service, Japanese
)

var ours = Limits{Timeout: MaxTimeout, MaxSize: MaxMaxSize, MaxCharacters: MaxMaxCharacters}

var profiles = []Profile{
	{
		Name: ProfileDefault, Limits: Limits{DefaultTimeout, DefaultMaxSize, DefaultMaxCharacters}, Format: Markdown, Language: english,
		Engine: EngineHTTP, most: ours, mark: markText, polite: true,
	},
	{
		Name: ProfileSlack, Limits: Limits{10 * time.Second, 512 << 10, 14_000}, Format: Text, Language: japanese, Engine: EngineHTTP,
		most: Limits{10 * time.Second, 512 << 10, 14_000}, clamp: true, anyType: true, verbatim: true, overlong: cutBody, mark: markInAll, messages: slackMessages,
	},
	{
		Name: ProfileADK, Limits: Limits{30 * time.Second, 1 << 20, MaxMaxSize}, Format: Text, Language: english, Engine: EngineHTTP,
		UserAgent: "adk-code/1.0 (+https://github.com/raphaelmansuy/adk-code)",
		most:      Limits{5 * time.Minute, 50 << 20, MaxMaxSize}, clamp: true, lenient: true, anyType: true, verbatim: true, overlong: cutUndeclaredBody, messages: adkMessages,
	},
	{
		Name: ProfileGLaDOS, Limits: Limits{DefaultTimeout, MaxMaxSize, 50_000}, Format: Markdown, Language: english, Engine: EngineHTTP,
		UserAgent: "GLaDOS-Agent/1.0", Allowlist: true, most: ours, anyType: true, bodyHTML: true, messages: gladosMessages,
	},
	{
		Name: ProfileMyao, Limits: Limits{60 * time.Second, MaxMaxSize, 20_000}, Format: Markdown, Language: japanese, Engine: EngineRemote,
		most: ours, messages: myaoMessages,
	},
}

var profileNumbers = map[string]string{"": ProfileDefault, "000": ProfileSlack, "001": ProfileADK, "002": ProfileGLaDOS, "003": ProfileMyao}

// ProfileNamed returns the profile with a name or number; "" is the default profile. Its error is a REQUEST_INVALID fault.
func ProfileNamed(name string) (Profile, error) {
	known := strings.ToLower(strings.TrimSpace(name))
	if number, ok := profileNumbers[known]; ok {
		known = number
	}
	i := slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == known })
	if i < 0 {
		return Profile{}, fault.Invalid("profile", ReasonRequestInvalid, "there is no profile %q; choose one of %s", bounded.Characters(name, 40), strings.Join(ProfileNames(), ", "))
	}
	return profiles[i], nil
}

// ProfileNames returns the names of all profiles.
func ProfileNames() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}
