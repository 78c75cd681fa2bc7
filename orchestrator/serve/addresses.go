package serve

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/quorate/quorate/platform/netguard"
)

// wantURL says what isURL accepts. It does not repeat the text, which may hold a password.
const wantURL = "want an http or https URL without user, query and fragment"

// isURL reports whether text is the base URL of a server.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isHostPort(net.JoinHostPort(u.Hostname(), netguard.Port(u))) &&
		u.User == nil && u.RawQuery+u.Fragment == ""
}

// isHostPort reports whether text is host:port with a host and a number: nothing can be called at :8080, host:https or host:0.
func isHostPort(text string) bool {
	_, port, err := net.SplitHostPort(text)
	number, wrong := strconv.ParseUint(port, 10, 16)
	return err == nil && wrong == nil && number > 0 && isHost(text)
}

// isHost reports whether text is the name or the address of one host, with or without a port.
func isHost(text string) bool {
	u, err := url.Parse("//" + text)
	return err == nil && u.Host == text && u.Hostname() != "" && !strings.Contains(text, "*")
}
