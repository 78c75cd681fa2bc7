package robots_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch/robots"
	"github.com/quorate/quorate/platform/usagetest"
)

const agent = "Quorate-WebFetch"

func TestTest(t *testing.T) {
	for name, test := range map[string]struct {
		file, agent string
		allowed     []string
		refused     []string
	}{
		"no rules allow everything":                                       {"", agent, []string{"/", "/a"}, nil},
		"an empty disallow allows everything":                             {"user-agent: *\ndisallow:", agent, []string{"/", "/a"}, nil},
		"a slash refuses everything but robots.txt":                       {"user-agent: *\ndisallow: /", agent, []string{"/robots.txt"}, []string{"/", "/a", "/robots.txtx"}},
		"keys are read in any case":                                       {"USER-AGENT: *\nDisAllow: /a", agent, []string{"/b"}, []string{"/a"}},
		"paths are compared in their case":                                {"user-agent: *\ndisallow: /A", agent, []string{"/a"}, []string{"/A"}},
		"spaces around keys and values do not count":                      {" user-agent : * \n disallow :  /a  ", agent, []string{"/b"}, []string{"/a"}},
		"comments do not count":                                           {"# x\nuser-agent: * # all\ndisallow: /a # no\n#disallow: /b", agent, []string{"/b"}, []string{"/a"}},
		"lines end in CR, LF or both":                                     {"user-agent: *\r\ndisallow: /a\rdisallow: /b\ndisallow: /c", agent, []string{"/d"}, []string{"/a", "/b", "/c"}},
		"a byte order mark does not count":                                {"\ufeffuser-agent: *\ndisallow: /a", agent, nil, []string{"/a"}},
		"a line without a colon does not count":                           {"user-agent: *\ndisallow /b\ndisallow: /a", agent, []string{"/b"}, []string{"/a"}},
		"a misspelt disallow is meant":                                    {"user-agent: *\ndissallow: /a", agent, nil, []string{"/a"}},
		"a rule before any group is for nobody":                           {"disallow: /\nuser-agent: *\ndisallow: /a", agent, []string{"/b"}, []string{"/a"}},
		"other keys do not end a group of agents":                         {"user-agent: a\nsitemap: https://e/s.xml\nuser-agent: quorate-webfetch\ndisallow: /a", agent, nil, []string{"/a"}},
		"an own group replaces the one for everybody":                     {"user-agent: *\ndisallow: /\nuser-agent: quorate-webfetch\ndisallow: /a", agent, []string{"/b"}, []string{"/a"}},
		"an own group without rules allows everything":                    {"user-agent: *\ndisallow: /\nuser-agent: quorate-webfetch\n", agent, []string{"/b"}, nil},
		"the order of groups does not matter":                             {"user-agent: quorate-webfetch\ndisallow: /a\nuser-agent: *\ndisallow: /", agent, []string{"/b"}, []string{"/a"}},
		"groups for one agent are one":                                    {"user-agent: quorate-webfetch\ndisallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: quorate-webfetch\ndisallow: /b", agent, []string{"/c"}, []string{"/a", "/b"}},
		"groups for everybody are one":                                    {"user-agent: *\ndisallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: *\ndisallow: /b", agent, []string{"/c"}, []string{"/a", "/b"}},
		"an agent is named in any case, without its version":              {"user-agent: QUORATE-webfetch/2.1\ndisallow: /a", agent + "/0.1", nil, []string{"/a"}},
		"an agent without a token is in no group of others":               {"user-agent: 360spider\nallow: /a\nuser-agent: *\ndisallow: /", "2bot/1.0", nil, []string{"/a"}},
		"a part of the name is another agent":                             {"user-agent: quorate\ndisallow: /a", agent, []string{"/a"}, nil},
		"a longer name is another agent":                                  {"user-agent: quorate-webfetch-images\ndisallow: /a", agent, []string{"/a"}, nil},
		"a group of several agents":                                       {"user-agent: x\nuser-agent: quorate-webfetch\nuser-agent: y\ndisallow: /a", agent, []string{"/b"}, []string{"/a"}},
		"the longest match decides":                                       {"user-agent: *\nallow: /a/b\ndisallow: /a", agent, []string{"/a/b", "/a/bc", "/"}, []string{"/a", "/a/c"}},
		"the longest match decides in either order":                       {"user-agent: *\ndisallow: /a/b\nallow: /a", agent, []string{"/a", "/a/c"}, []string{"/a/b"}},
		"allow wins a tie":                                                {"user-agent: *\ndisallow: /a\nallow: /a", agent, []string{"/a"}, nil},
		"allow wins a tie in either order":                                {"user-agent: *\nallow: /a\ndisallow: /a", agent, []string{"/a"}, nil},
		"the RFC's example of the longest match":                          {"user-agent: *\nallow: /example/page/\ndisallow: /example/page/disallowed.gif", agent, []string{"/example/page/x"}, []string{"/example/page/disallowed.gif"}},
		"a pattern is a prefix":                                           {"user-agent: *\ndisallow: /fish", agent, []string{"/Fish.asp", "/catfish", "/desert/fish"}, []string{"/fish", "/fish.html", "/fishheads/x", "/fish.php?id=a"}},
		"a slash at the end is a folder":                                  {"user-agent: *\ndisallow: /fish/", agent, []string{"/fish", "/fish.html"}, []string{"/fish/", "/fish/?id=a"}},
		"a star stands for anything":                                      {"user-agent: *\ndisallow: /*.php", agent, []string{"/", "/windows.PHP"}, []string{"/index.php", "/a/b.php?x", "/a.php/"}},
		"a star at the end changes nothing":                               {"user-agent: *\ndisallow: /fish*", agent, []string{"/catfish"}, []string{"/fish", "/fishes"}},
		"stars in a row are one":                                          {"user-agent: *\ndisallow: /a***b", agent, []string{"/a"}, []string{"/ab", "/axxb"}},
		"a dollar at the end is the end":                                  {"user-agent: *\ndisallow: /*.php$", agent, []string{"/a.php?x", "/a.php/", "/a.php5"}, []string{"/a.php", "/a/b.php", "/a.php.php"}},
		"a dollar after a plain path":                                     {"user-agent: *\ndisallow: /a$", agent, []string{"/ab", "/a/"}, []string{"/a"}},
		"a dollar elsewhere is itself":                                    {"user-agent: *\ndisallow: /a$b", agent, []string{"/a", "/ab"}, []string{"/a$b", "/a$bc"}},
		"a pattern may begin with a star":                                 {"user-agent: *\ndisallow: *secret", agent, []string{"/a"}, []string{"/a/secret", "/secret"}},
		"the query is part of the path":                                   {"user-agent: *\ndisallow: /*?q=", agent, []string{"/a"}, []string{"/a?q=1"}},
		"a path that is not ASCII is compared as its bytes":               {"user-agent: *\ndisallow: /ツ", agent, nil, []string{"/ツ", "/%E3%83%84", "/%e3%83%84x"}},
		"an encoded pattern matches the path in any form":                 {"user-agent: *\ndisallow: /foo/bar/%e3%83%84", agent, nil, []string{"/foo/bar/ツ", "/foo/bar/%E3%83%84"}},
		"an encoded unreserved character is that character":               {"user-agent: *\ndisallow: /foo/bar/%62%61%7A", agent, nil, []string{"/foo/bar/baz", "/foo/b%61r/baz"}},
		"an encoded reserved character is not that character":             {"user-agent: *\ndisallow: /a%2Fb", agent, []string{"/a/b"}, []string{"/a%2Fb", "/a%2fb"}},
		"an encoded star is itself":                                       {"user-agent: *\ndisallow: /a%2Ab", agent, []string{"/axb"}, []string{"/a%2ab"}},
		"an encoded star is the path's star, as in the RFC's example":     {"user-agent: *\ndisallow: /path/file-with-a-%2A.html", agent, []string{"/path/file-with-a-b.html"}, []string{"/path/file-with-a-*.html"}},
		"an encoded dollar is the path's dollar, as in the RFC's example": {"user-agent: *\ndisallow: /path/foo-%24", agent, []string{"/path/foo-"}, []string{"/path/foo-$", "/path/foo-%24x"}},
		"a dollar in the path is no end":                                  {"user-agent: *\ndisallow: /a$\nallow: /b*$", agent, []string{"/a$", "/b$"}, []string{"/a"}},
		"a percent sign that encodes nothing is itself":                   {"user-agent: *\ndisallow: /a%zz", agent, []string{"/a"}, []string{"/a%zz"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := robots.Parse([]byte(test.file))
			for want, paths := range map[bool][]string{true: test.allowed, false: test.refused} {
				for _, path := range paths {
					if got := f.Test(test.agent, path); got.Allowed != want {
						t.Errorf("Test(%q) of %q = %+v, want allowed %t", path, test.file, got, want)
					}
				}
			}
		})
	}
}

func TestACrawlDelayDividesNoGroups(t *testing.T) {
	f := robots.Parse([]byte("user-agent: a\ncrawl-delay: 5\nuser-agent: b\ndisallow: /x\ncrawl-delay: 7\nuser-agent: c\nallow: /x"))
	for agent, want := range map[string]robots.Verdict{"a": {Rule: "/x", Delay: 7 * time.Second}, "b": {Rule: "/x", Delay: 7 * time.Second}, "c": {Allowed: true, Rule: "/x"}} {
		if got := f.Test(agent, "/x"); got != want {
			t.Errorf("Test(%s, /x) = %+v, want %+v", agent, got, want)
		}
	}
}

func TestCrawlDelay(t *testing.T) {
	for value, want := range map[string]time.Duration{"2": 2 * time.Second, "0.5": time.Second / 2, "1e9": time.Minute, "-1": 0, "soon": 0, "NaN": 0, "Inf": time.Minute} {
		f := robots.Parse([]byte("user-agent: *\ncrawl-delay: " + value))
		if got := f.Test(agent, "/"); got.Delay != want || !got.Allowed {
			t.Errorf("Test() with crawl-delay %s = %+v, want %s", value, got, want)
		}
	}
}

func TestHostileFilesAreBounded(t *testing.T) {
	for name, file := range map[string]string{
		"rules of stars":    "user-agent: *\n" + strings.Repeat("disallow: /"+strings.Repeat("*a", 500)+"b\n", 400),
		"many rules":        "user-agent: *\n" + strings.Repeat("allow: /aaaa\n", 40_000),
		"many groups":       strings.Repeat("user-agent: quorate-webfetch\ndisallow: /a\n", 12_000),
		"one endless line":  "user-agent: *\ndisallow: /" + strings.Repeat("a*", 1<<20),
		"nothing but zeros": strings.Repeat("\x00", 1<<20),
	} {
		before := usagetest.CPU(t)
		robots.Parse([]byte(file)).Test(agent, "/"+strings.Repeat("a", 8000))
		if d := usagetest.CPU(t) - before; d > 3*time.Second {
			t.Errorf("%s took %s of CPU, want far less than a second", name, d)
		}
	}
	if v := robots.Parse([]byte("user-agent: *\ndisallow: /b")).Test(agent, "/"+strings.Repeat("a", 9000)); v.Allowed {
		t.Errorf("Test(a path of 9,000 bytes) = %+v, want it refused where there are rules", v)
	}
}

func TestALineThatIsCutIsIgnored(t *testing.T) {
	const last = "disallow: /private/"
	for cut, want := range map[int]bool{0: false, 1: true, len("private/"): true} {
		file := "user-agent: *\n" + strings.Repeat("#\n", robots.MaxBytes)
		file = file[:robots.MaxBytes-len(last)-1+cut] + "\n" + last + "\nallow: /private/\n"
		if v := robots.Parse([]byte(file)).Test(agent, "/private/a"); v.Allowed != want {
			t.Errorf("Test() with %d bytes of the last rule too many = %+v, want allowed %t", cut, v, want)
		}
		if v := robots.Parse([]byte(file)).Test(agent, "/b"); !v.Allowed {
			t.Errorf("Test() with %d bytes of the last rule too many = %+v, want other paths allowed", cut, v)
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("user-agent: *\ndisallow: /*a$\nallow: /b%20"), "/a")
	f.Add([]byte("\ufeffUser-Agent: quorate-webfetch # us\r\nDisallow: /\r\nAllow: /p$\r\nCrawl-delay: 1e9\r\n"), "/p?q=%2F")
	f.Add([]byte("disallow: /stray\nuser-agent: a\nuser-agent: *\ndisallow: /%E3%81%82*/\nsitemap: https://site.test/s.xml"), "/あ/b")
	f.Add([]byte("user-agent: *\rdisallow: /***$*$\x00\nallow"), "/***$")
	f.Fuzz(func(t *testing.T, file []byte, path string) {
		rules := robots.Parse(file)
		if v := rules.Test(agent, "/"+path); v.Delay < 0 || v.Delay > time.Minute {
			t.Errorf("Test(%q) = %+v, want a delay of at most a minute", path, v)
		}
		if v := rules.Test(agent, "/robots.txt"); !v.Allowed {
			t.Errorf("Test(/robots.txt) = %+v, want it allowed whatever it says (RFC 9309, section 2.2.2)", v)
		}
	})
}
