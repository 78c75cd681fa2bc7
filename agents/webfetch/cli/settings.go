package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/browser"
	"github.com/quorate/quorate/agents/webfetch/remote"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// settings determine a fetcher. Flags take precedence over the environment, the file and the profile, in this order.
type settings struct {
	configFile      string
	profile         string
	allowlist       string // on, off or profile
	allow, internal []string
	storage         storage
	userAgent       string
	proxy           string
	browser         string // a path, auto or off
	noSandbox       bool
	ignoreRobots    bool
	format          string
	timeout         time.Duration
	maxSize         int64
	maxCharacters   int
	endpoint        string // of the Markdown service
	disabled        bool
}

func (s *settings) flags(flags *pflag.FlagSet) {
	flags.StringVar(&s.configFile, "config", "", "file with settings and credentials (env WEBFETCH_CONFIG)")
	flags.StringVar(&s.profile, "profile", "", "defaults, limits and messages of default, slack (000), adk (001), glados (002) or myao (003) (env WEBFETCH_PROFILE)")
	flags.StringVar(&s.allowlist, "allowlist", "", "on: only listed hosts are read; off: every public host; default: as the profile has it (env WEBFETCH_ALLOWLIST)")
	flags.StringSliceVar(&s.allow, "allow", nil, "host, *.host or host:port that may be read; repeat it for more (env WEBFETCH_ALLOW)")
	flags.StringSliceVar(&s.internal, "allow-internal", nil, "host:port that may be read though it is not on the public internet (env WEBFETCH_ALLOW_INTERNAL)")
	s.storage.flags(flags)
	flags.StringVar(&s.userAgent, "user-agent", "", "name that requests go by (env WEB_FETCH_USER_AGENT)")
	flags.StringVar(&s.proxy, "proxy", "", "http://host:port that every connection goes through (env WEBFETCH_PROXY)")
	flags.StringVar(&s.browser, "browser", "auto", "path of Chromium, auto to look for it, or off")
	flags.BoolVar(&s.noSandbox, "browser-no-sandbox", false, "run Chromium without its sandbox, which root needs")
	flags.BoolVar(&s.ignoreRobots, "ignore-robots", false, "read what robots.txt disallows")
	flags.StringVar(&s.format, "format", "", "markdown, text, html, json, links or raw; default: the profile's (env WEB_FETCH_DEFAULT_MODE)")
	flags.StringVar(&s.format, "mode", "", "the same as --format")
	flags.DurationVar(&s.timeout, "timeout", 0, "how long a fetch may take, at most 5m; default: the profile's")
	flags.Int64Var(&s.maxSize, "max-size", 0, "bytes of a page that are read; a longer page is an error; default: the profile's")
	flags.IntVar(&s.maxCharacters, "max-characters", 0, "characters of a page that are returned; default: the profile's (env WEB_FETCH_MAX_CHARACTERS)")
	flags.StringVar(&s.endpoint, "markdown-service", "", "base URL of a Markdown service for the remote engine (env WEB_FETCH_API_ENDPOINT)")
}

// complete fills in what no flag has set.
func (s *settings) complete() (file, error) {
	s.configFile = cmp.Or(s.configFile, config.Env("WEBFETCH_CONFIG"))
	f, err := readFile(s.configFile)
	if err != nil {
		return f, err
	}
	tool := f.Tools.WebFetch
	s.profile = cmp.Or(s.profile, config.Env("WEBFETCH_PROFILE"), f.Profile)
	s.allowlist = cmp.Or(s.allowlist, config.Env("WEBFETCH_ALLOWLIST"), f.Allowlist)
	s.storage.environment()
	s.userAgent = cmp.Or(s.userAgent, config.Env("WEB_FETCH_USER_AGENT"), f.UserAgent)
	s.proxy = cmp.Or(s.proxy, config.Env("WEBFETCH_PROXY"), f.Proxy)
	s.endpoint = cmp.Or(s.endpoint, config.Env("WEB_FETCH_API_ENDPOINT"), tool.APIEndpoint)
	s.timeout = cmp.Or(s.timeout, time.Duration(tool.TimeoutSeconds)*time.Second)
	if s.allow == nil {
		s.allow = append(list(config.Env("WEBFETCH_ALLOW")), f.Allow...)
	}
	if s.internal == nil {
		s.internal = append(list(config.Env("WEBFETCH_ALLOW_INTERNAL")), f.AllowInternal...)
	}
	s.disabled = tool.Enabled != nil && !*tool.Enabled
	if text := config.Env("WEB_FETCH_ENABLED"); text != "" {
		enabled, err := strconv.ParseBool(text)
		if err != nil {
			return f, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "WEB_FETCH_ENABLED is %q; set it to true or false", text)
		}
		s.disabled = !enabled
	}
	if text := config.Env("WEB_FETCH_DEFAULT_MODE"); text != "" && s.format == "" {
		if s.format = text; webfetch.Format(text).Check() != nil {
			return f, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "WEB_FETCH_DEFAULT_MODE is %q; set it to markdown, text, html, json, links or raw", text)
		}
	}
	if text := config.Env("WEB_FETCH_MAX_CHARACTERS"); text != "" && s.maxCharacters == 0 {
		if s.maxCharacters, err = strconv.Atoi(text); err != nil || s.maxCharacters <= 0 {
			return f, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "WEB_FETCH_MAX_CHARACTERS is %q; set it to a number above 0", text)
		}
	}
	s.maxCharacters = cmp.Or(s.maxCharacters, tool.MaxContentLength)
	return f, nil
}

// list splits a comma-separated list.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// everyHost reports whether every public host may be read.
func (s *settings) everyHost() (bool, error) {
	switch s.allowlist {
	case "on":
		return false, nil
	case "off":
		return true, nil
	case "", "profile":
		p, _ := webfetch.ProfileNamed(s.profile)
		return p.Name != webfetch.ProfileDefault && !p.Allowlist, nil
	}
	return false, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "the allowlist is %q; set it to on or off", s.allowlist)
}

// made is a fetcher with what has to be closed with it.
type made struct {
	*webfetch.Fetcher

	service *remote.Service
	db      *boltdb.DB
}

func (m *made) close() error {
	if m.Fetcher != nil {
		m.Close()
	}
	if m.service != nil {
		m.service.Close()
	}
	if m.db == nil {
		return nil
	}
	return m.db.Close()
}

// fetcher returns a fetcher that may read the configured hosts and more.
func (s *settings) fetcher(ctx context.Context, logger *slog.Logger, more ...string) (*made, error) {
	m := &made{}
	if err := s.open(ctx, m, logger, more); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

// open fills m, until the first error.
func (s *settings) open(ctx context.Context, m *made, logger *slog.Logger, more []string) error {
	f, err := s.complete()
	if err != nil {
		return err
	}
	options := webfetch.Options{
		Policy:       &netguard.Policy{AllowOrigins: s.internal},
		AllowedHosts: slices.Concat(s.allow, s.internal, more),
		Profile:      s.profile, Format: webfetch.Format(s.format), UserAgent: s.userAgent, Disabled: s.disabled, IgnoreRobots: s.ignoreRobots,
		Limits: webfetch.Limits{Timeout: s.timeout, MaxSize: s.maxSize, MaxCharacters: s.maxCharacters},
		Logger: logger,
	}
	if options.Open, err = s.everyHost(); err != nil {
		return err
	}
	if options.Credentials, err = f.credentials(); err != nil {
		return err
	}
	if s.proxy != "" {
		if options.Proxy, err = url.Parse(s.proxy); err != nil {
			return fault.New(fault.InvalidArgument, "CONFIG_INVALID", "the proxy cannot be read; write http://host:port")
		}
	}
	if s.endpoint != "" {
		if m.service, err = remote.New(s.endpoint); err != nil {
			return err
		}
		options.Remote = m.service
	}
	if options.Browser, err = s.findBrowser(); err != nil {
		return err
	}
	if options.Allowlist, err = s.storage.open(ctx, m); err != nil {
		return err
	}
	m.Fetcher, err = webfetch.New(options)
	return err
}

// findBrowser returns nil when pages are read without a browser.
func (s *settings) findBrowser() (webfetch.Browser, error) {
	o := browser.Options{NoSandbox: s.noSandbox}
	switch s.browser {
	case "off":
		return nil, nil //nolint:nilnil // to have none is valid
	case "auto":
	default:
		o.Path = s.browser
	}
	if b, ok := browser.Find(o); ok {
		return b, nil
	}
	if o.Path != "" {
		return nil, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "there is no Chromium at %s; name its program, or set --browser to auto or off", o.Path)
	}
	return nil, nil //nolint:nilnil // as above
}
