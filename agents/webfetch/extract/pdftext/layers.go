package pdftext

import (
	"regexp"
	"slices"

	"github.com/ledongthuc/pdf"
)

// layers says which optional content (ISO 32000-1, 8.11) is not shown. The zero value shows everything.
type layers struct {
	present  bool            // the file has optional content
	listed   map[string]bool // groups in the list of the default configuration, by reference
	onListed bool            // the list is of the groups that are shown, and not of the others
}

// The library tells to which object an entry refers in no other way than when it prints a dictionary.
var (
	reference      = regexp.MustCompile(`[0-9]+ [0-9]+ R`)
	namedReference = regexp.MustCompile(`/([^\s/<>\[\]()]+) ([0-9]+ [0-9]+ R)`)
)

// referencesOf returns the references among the entries of a dictionary, by key.
func referencesOf(v pdf.Value) map[string]string {
	refs := map[string]string{}
	for _, m := range namedReference.FindAllStringSubmatch(v.String(), -1) {
		refs[m[1]] = m[2]
	}
	return refs
}

func layersOf(file *pdf.Reader) layers {
	properties := file.Trailer().Key("Root").Key("OCProperties")
	config := properties.Key("D")
	l := layers{present: properties.Kind() == pdf.Dict, listed: map[string]bool{}, onListed: config.Key("BaseState").Name() == "OFF"}
	list := "OFF"
	if l.onListed {
		list = "ON"
	}
	for _, ref := range reference.FindAllString(config.Key(list).String(), -1) {
		l.listed[ref] = true
	}
	return l
}

// hide reports whether content that belongs to a group is not shown; ref is the reference to the group. Content that belongs to several groups is shown if
// one of them is.
func (l layers) hide(group pdf.Value, ref string) bool {
	if group.Key("Type").Name() != "OCMD" {
		return ref != "" && l.listed[ref] != l.onListed
	}
	if policy := group.Key("P").Name(); policy != "" && policy != "AnyOn" || group.Key("VE").Kind() != pdf.Null {
		return false
	}
	refs := reference.FindAllString(group.Key("OCGs").String(), -1)
	if group.Key("OCGs").Kind() == pdf.Dict {
		refs = nil
		if ref := referencesOf(group)["OCGs"]; ref != "" {
			refs = []string{ref}
		}
	}
	return len(refs) > 0 && !slices.ContainsFunc(refs, func(ref string) bool { return l.listed[ref] == l.onListed })
}
