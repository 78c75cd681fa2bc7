package webfetch

import (
	"slices"
	"strings"
	"time"
)

// Engine is what reads a page.
type Engine string

// The engines. The empty one means the profile's.
const (
	EngineHTTP   Engine = "http"   // this process, over HTTP, with a browser when asked
	EngineRemote Engine = "remote" // a Markdown service
)

// overlong says what becomes of a body that is longer than max_size.
type overlong int

const (
	refuseBody        overlong = iota
	cutBody                    // read what fits
	cutUndeclaredBody          // read what fits, unless its length was declared and is too much
)

// mark says where the truncation mark goes.
type mark int

const (
	noMark    mark = iota
	markText       // only where nothing but text is answered
	markInAll      // in the content
)

// Profile is one set of defaults, limits and manners. Each of them but Default is one earlier fetch tool's, and exactly that:
// a program written for that tool finds the same numbers and words here.
type Profile struct {
	Name      string
	Limits    Limits // of a request that names none
	Format    Format // of a request that names none
	UserAgent string // empty: the Fetcher's
	Language  string // of messages when the caller asks for none: "en" or "ja"
	Engine    Engine
	Allowlist bool // only listed hosts may be read, whatever the mode of the Fetcher

	most     Limits // hard limits
	clamp    bool   // more than the hard limits is lowered to them instead of refused
	lenient  bool   // an unknown format means the default one instead of an error
	anyType  bool   // what is neither HTML nor text nor JSON is answered as it is
	overlong overlong
	mark     mark
	polite   bool            // robots.txt, the cache, retries
	messages map[Code]string // in Language
}

// Names of the profiles. The numbers of the documents that they come from are accepted too: 000, 001, 002, 003.
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
		most: Limits{10 * time.Second, 512 << 10, 14_000}, clamp: true, anyType: true, overlong: cutBody, mark: markInAll, messages: slackMessages,
	},
	{
		Name: ProfileADK, Limits: Limits{30 * time.Second, 1 << 20, MaxMaxSize}, Format: Text, Language: english, Engine: EngineHTTP,
		UserAgent: "adk-code/1.0 (+https://github.com/raphaelmansuy/adk-code)",
		most:      Limits{5 * time.Minute, 50 << 20, MaxMaxSize}, clamp: true, lenient: true, anyType: true, overlong: cutUndeclaredBody, messages: adkMessages,
	},
	{
		Name: ProfileGLaDOS, Limits: Limits{DefaultTimeout, MaxMaxSize, 50_000}, Format: Markdown, Language: english, Engine: EngineHTTP,
		UserAgent: "GLaDOS-Agent/1.0", Allowlist: true, most: ours, anyType: true, messages: gladosMessages,
	},
	{
		Name: ProfileMyao, Limits: Limits{60 * time.Second, MaxMaxSize, 20_000}, Format: Markdown, Language: japanese, Engine: EngineRemote,
		most: ours, messages: myaoMessages,
	},
}

var profileNumbers = map[string]string{"": ProfileDefault, "000": ProfileSlack, "001": ProfileADK, "002": ProfileGLaDOS, "003": ProfileMyao}

// ProfileNamed returns the profile of a name or a number; the empty name is the default profile's.
func ProfileNamed(name string) (Profile, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if known, ok := profileNumbers[name]; ok {
		name = known
	}
	i := slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return profiles[i], true
}

// ProfileNames returns the names of all profiles.
func ProfileNames() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}
