package http1

// byteSet is a set of bytes.
type byteSet [256]bool

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyz" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// The bytes that are allowed in the parts of a plain request.
var (
	inNames   = setOf(digits + letters + "!#$%&'*+-.^_`|~")                // RFC 9110, section 5.6.2
	inTargets = setOf(digits + letters + "-._~" + "%!$&'()*+,;=" + ":@/?") // RFC 3986, section 3.3 and 3.4
	inHosts   = setOf(digits + letters + "-._:[]")
	inValues  = printable()
)

func setOf(bytes string) *byteSet {
	var s byteSet
	for _, b := range []byte(bytes) {
		s[b] = true
	}
	return &s
}

// printable returns the set of printable ASCII bytes, including the space.
func printable() *byteSet {
	var s byteSet
	for b := ' '; b <= '~'; b++ {
		s[b] = true
	}
	return &s
}

func (s *byteSet) all(text []byte) bool {
	for _, b := range text {
		if !s[b] {
			return false
		}
	}
	return true
}
