package kit

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/grpc/codes"

	"github.com/quorate/quorate/platform/auth"
)

// bearerScheme describes the token of callers in a card. There are no securityRequirements, because a2a-go (2.4) does not write them in the form of
// the specification.
var bearerScheme = a2a.NamedSecuritySchemes{"bearer": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer", Description: "The token that the agent's operator gave to its callers."}}

// openPaths may be read without the token.
var openPaths = []string{wellKnownCard, legacyCard, pingPath}

// requireToken lets requests pass that have the token of callers, and requests for the card and pings. It comes before all bindings.
func (a *Agent) requireToken(next http.Handler) http.Handler {
	if a.config.Callers == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		if read && slices.Contains(openPaths, r.URL.Path) || a.hasToken(r) {
			next.ServeHTTP(w, r)
			return
		}
		const why = "this agent wants the token of its callers, as Authorization: Bearer TOKEN"
		w.Header().Set("WWW-Authenticate", "Bearer")
		if isGRPC(r) { // a gRPC answer consisting of trailers only
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", strconv.Itoa(int(codes.Unauthenticated)))
			w.Header().Set("Grpc-Message", why)
			return
		}
		http.Error(w, why, http.StatusUnauthorized)
	})
}

func (a *Agent) hasToken(r *http.Request) bool {
	token := a.config.Callers()
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token != "" && strings.EqualFold(scheme, "Bearer") && secretsEqual(token, auth.Secret(strings.TrimSpace(shown)))
}

// secretsEqual compares two secrets in constant time, whatever their length.
func secretsEqual(x, y auth.Secret) bool {
	a, b := sha256.Sum256([]byte(x.Reveal())), sha256.Sum256([]byte(y.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func isGRPC(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}
