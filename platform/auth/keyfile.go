package auth

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// A key file has one key per line: the hash of its token, the caller's name, its roles separated by commas, and its tenant unless that is
// the default one. Empty lines and lines that begin with # are ignored. The file does not contain the tokens themselves.
const (
	hashPrefix  = "sha256:"
	maxKeyLines = 100_000
	maxKeyLine  = 4 << 10
)

// KeyLine returns the line of a key file that makes token the credential of p.
func KeyLine(token Secret, p Principal) string {
	hash := hashOf(token.Reveal())
	fields := []string{hashPrefix + hex.EncodeToString(hash[:]), p.Name, roleNames(p.Roles)}
	if p.Tenant != "" && p.Tenant != DefaultTenant {
		fields = append(fields, p.Tenant)
	}
	return strings.Join(fields, " ")
}

// Read adds the keys of a key file and returns their number. A wrong line is an InvalidArgument fault with the reason CONFIG_INVALID
// that gives its number; then nothing is added.
func (k *Keyring) Read(file io.Reader) (int, error) {
	var found []key
	known := make(map[tokenHash]bool)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxKeyLine)
	number := 1
	for ; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		entry, err := parseKey(line)
		if err == nil && known[entry.hash] {
			err = errors.New("the key is given twice")
		}
		if err == nil && len(found) == maxKeyLines {
			err = fmt.Errorf("there are more than %d keys", maxKeyLines)
		}
		if err != nil {
			return 0, fault.Invalid("keys", "CONFIG_INVALID", "line %d: %s", number, err)
		}
		known[entry.hash] = true
		found = append(found, entry)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return 0, fault.Invalid("keys", "CONFIG_INVALID", "line %d has more than %d bytes", number, maxKeyLine)
	case err != nil:
		return 0, fmt.Errorf("reading keys: %w", err)
	}
	for _, entry := range found {
		k.add(entry.hash, entry.owner)
	}
	return len(found), nil
}

// key is a line of a key file.
type key struct {
	hash  tokenHash
	owner Principal
}

func parseKey(line string) (key, error) {
	fields := strings.Fields(line)
	if len(fields) != 3 && len(fields) != 4 {
		return key{}, fmt.Errorf("want %sHASH NAME ROLES and optionally a TENANT, as quorate keys new prints it", hashPrefix)
	}
	hash, ok := strings.CutPrefix(fields[0], hashPrefix)
	decoded, err := hex.DecodeString(hash)
	if !ok || err != nil || len(decoded) != sha256.Size {
		return key{}, fmt.Errorf("the first field is not %s and 64 hexadecimal digits", hashPrefix)
	}
	entry := key{owner: Principal{Name: fields[1], Tenant: DefaultTenant}}
	copy(entry.hash[:], decoded)
	if len(fields) == 4 {
		entry.owner.Tenant = fields[3]
	}
	if entry.owner.Roles, err = ParseRoles(fields[2]); err != nil {
		return key{}, err
	}
	return entry, entry.owner.Check()
}

// ParseRoles returns the roles of a comma-separated list. An unknown one is an InvalidArgument fault with the reason CONFIG_INVALID.
func ParseRoles(list string) ([]Role, error) {
	known := []Role{RoleAdmin, RoleDispatcher, RoleAgent, RoleViewer}
	var roles []Role
	for name := range strings.SplitSeq(list, ",") {
		role := Role(strings.TrimSpace(name))
		if !slices.Contains(known, role) {
			return nil, fault.Invalid("roles", "CONFIG_INVALID", "%q is not one of the roles %s", name, roleNames(known))
		}
		roles = append(roles, role)
	}
	return roles, nil
}

func roleNames(roles []Role) string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	return strings.Join(names, ",")
}
