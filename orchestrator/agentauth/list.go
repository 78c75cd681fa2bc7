package agentauth

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// list is the content of the file at one time.
type list struct {
	hash    [sha256.Size]byte // of the file
	made    []made
	origins map[origin]*Credential // by origin, under the host with and without the port if that is the default one
}

// made is an entry with the credential made of it.
type made struct {
	entry      *entry
	credential *Credential
}

// read reads the whole file, or fails. An unchanged entry keeps its credential, with its token and connections.
func (c Config) read(before *list) (*list, error) {
	next := &list{origins: make(map[origin]*Credential)}
	var entries []entry
	var problems []string
	var err error
	if next.hash, err = c.hash(); err == nil {
		entries, err = readFile(c.File)
	}
	if err != nil {
		problems = append(problems, err.Error())
	}
	for i := range entries {
		if err := next.add(c, &entries[i], before); err != nil {
			problems = append(problems, entries[i].problem(i, err))
		}
	}
	if len(problems) > 0 {
		return nil, fault.Invalid(c.Setting, "CREDENTIALS_INVALID", "credentials for agents in %s: %s", c.File, strings.Join(problems, "; "))
	}
	return next, nil
}

// add makes the credential of an entry, unless it exists already, and adds it under its origin.
func (l *list) add(c Config, e *entry, before *list) error {
	o, hosts, err := e.where()
	if err != nil {
		return err
	}
	if _, twice := l.origins[origin{o.scheme, hosts[0]}]; twice {
		return errors.New("origin: there is another entry for it")
	}
	x := before.of(e)
	if x == nil {
		if x, err = e.credential(c, o); err != nil {
			return err
		}
	}
	l.made = append(l.made, made{e, x})
	for _, host := range hosts {
		l.origins[origin{o.scheme, host}] = x
	}
	return nil
}

// of returns the credential of an equal entry, or nil.
func (l *list) of(e *entry) *Credential {
	for _, m := range l.made {
		if reflect.DeepEqual(m.entry, e) {
			return m.credential
		}
	}
	return nil
}

// closeBut closes the idle connections of credentials that other does not have.
func (l *list) closeBut(other *list) {
	for _, m := range l.made {
		kept := slices.ContainsFunc(other.made, func(o made) bool { return o.credential == m.credential })
		if !kept {
			m.credential.closeIdle()
		}
	}
}

// credential makes the credential that an entry describes.
func (e *entry) credential(c Config, o origin) (*Credential, error) {
	x, kinds := &Credential{}, e.kinds()
	var err error
	switch {
	case len(kinds) > 1 || len(kinds) == 0 && e.MutualTLS == nil:
		return nil, fmt.Errorf("it has %d of bearer, basic, apiKey and oauth2: want one of these, mutualTLS, or both", len(kinds))
	case e.MutualTLS != nil && o.scheme != "https":
		return nil, errors.New("origin: mutualTLS is for https")
	case len(kinds) == 1:
		if x, err = kinds[0].credential(c); err != nil {
			return nil, err
		}
	}
	if e.MutualTLS != nil {
		if x.tls, x.client, err = e.MutualTLS.open(c); err != nil {
			return nil, err
		}
	}
	x.origin = o
	return x, e.clear(c, o)
}
