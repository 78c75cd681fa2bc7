package agentcard

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxViolations = 20
	maxMistake    = 500 // characters of each, since what is wrong may be as long as the card
)

// mistakes collects what is wrong with a document.
type mistakes struct{ violations []fault.Violation }

func (m *mistakes) wrong(field, format string, args ...any) {
	if len(m.violations) < maxViolations {
		m.violations = append(m.violations, fault.Violation{Field: field, Description: fault.ClipTo(fmt.Sprintf(format, args...), maxMistake)})
	}
}

// reader reads the fields of a decoded card and collects what is wrong. Absent fields read as zero.
type reader struct {
	mistakes

	warnings []Warning
}

func (r *reader) warn(code, field, message string) {
	if len(r.warnings) < maxViolations {
		r.warnings = append(r.warnings, Warning{Code: code, Message: message, Field: field})
	}
}

// field returns a field as a T. It is the zero value when the field is absent, null or of another type, the last of which is a violation.
func field[T any](r *reader, object map[string]any, path, key, kind string) T {
	value, ok := object[key].(T)
	if !ok && object[key] != nil {
		r.wrong(path+"."+key, "this must be %s", kind)
	}
	return value
}

func (r *reader) text(object map[string]any, path, key string) string {
	text := field[string](r, object, path, key, "a string")
	r.visible(path+"."+key, text)
	return text
}

func (r *reader) flag(object map[string]any, path, key string) bool {
	return field[bool](r, object, path, key, "true or false")
}

func (r *reader) object(object map[string]any, path, key string) map[string]any {
	return field[map[string]any](r, object, path, key, "an object")
}

func (r *reader) texts(object map[string]any, path, key string) []string {
	var texts []string
	for i, value := range field[[]any](r, object, path, key, "a list") {
		text, ok := value.(string)
		if !ok {
			r.wrong(fmt.Sprintf("%s.%s[%d]", path, key, i), "this must be a string")
		}
		r.visible(path+"."+key, text)
		texts = append(texts, text)
	}
	return texts
}

// objects calls each for at most limit objects of a list.
func (r *reader) objects(object map[string]any, path, key string, limit int, each func(path string, object map[string]any)) {
	list := field[[]any](r, object, path, key, "a list")
	if len(list) > limit {
		r.wrong(path+"."+key, "there are %d entries; the most is %d", len(list), limit)
		return
	}
	for i, value := range list {
		at := fmt.Sprintf("%s.%s[%d]", path, key, i)
		if entry, ok := value.(map[string]any); ok {
			each(at, entry)
		} else {
			r.wrong(at, "this must be an object")
		}
	}
}

// interfaces reads supportedInterfaces of a v1.0 card, or else url and additionalInterfaces of a v0.3 card. Interfaces that no client could call are
// left out with a warning.
func (r *reader) interfaces(root map[string]any) []Interface {
	list := interfaceList{reader: r}
	given := root["supportedInterfaces"]
	if entries, isList := given.([]any); given != nil && (!isList || len(entries) > 0) {
		r.objects(root, "card", "supportedInterfaces", maxInterfaces, func(path string, o map[string]any) {
			version := r.text(o, path, "protocolVersion")
			if version == "" {
				version = "1.0"
			}
			list.add(path, Interface{
				URL: r.text(o, path, "url"), Binding: r.text(o, path, "protocolBinding"),
				Tenant: r.text(o, path, "tenant"), ProtocolVersion: version,
			})
		})
	} else if root["url"] != nil {
		version := r.text(root, "card", "protocolVersion")
		if version == "" {
			version = "0.3.0"
		}
		list.add("card", Interface{URL: r.text(root, "card", "url"), Binding: r.text(root, "card", "preferredTransport"), ProtocolVersion: version})
		r.objects(root, "card", "additionalInterfaces", maxInterfaces, func(path string, o map[string]any) {
			list.add(path, Interface{URL: r.text(o, path, "url"), Binding: r.text(o, path, "transport"), ProtocolVersion: version})
		})
	}
	if len(list.interfaces) > 0 {
		return list.interfaces
	}
	for _, v := range list.skipped {
		r.wrong(v.Field, "%s", v.Description)
	}
	if len(list.skipped) == 0 {
		r.wrong("card.supportedInterfaces", "at least one interface with an absolute http or https URL or a gRPC host:port is needed")
	}
	return list.interfaces
}

type interfaceList struct {
	reader     *reader
	interfaces []Interface
	skipped    []fault.Violation // for each interface that was left out, why
}

func (l *interfaceList) add(path string, i Interface) {
	i.Binding = strings.ToUpper(i.Binding)
	if i.Binding == "" {
		i.Binding = BindingJSONRPC // the default of v0.3
	}
	if err := checkInterfaceURL(i); err != nil {
		l.skipped = append(l.skipped, fault.Violation{Field: path + ".url", Description: err.Error()})
		l.reader.warn("INTERFACE_SKIPPED", path+".url", fmt.Sprintf("the interface at %q is left out: %v", fault.Clip(i.URL), err))
		return
	}
	if !slices.Contains(l.interfaces, i) { // v0.3 cards repeat their main interface
		l.interfaces = append(l.interfaces, i)
	}
}

func checkInterfaceURL(i Interface) error {
	if i.Binding == BindingGRPC && !strings.Contains(i.URL, "://") {
		host, port, err := net.SplitHostPort(i.URL)
		number, _ := strconv.ParseUint(port, 10, 16)
		if err != nil || host == "" || number == 0 || strings.ContainsAny(host, "/@?# ") || len(i.URL) > maxURL {
			return errors.New("a gRPC address is host:port")
		}
		return nil
	}
	return CheckURL(i.URL)
}

// CheckURL says why a URL cannot be that of a card or of a catalog of cards, if it cannot.
func CheckURL(text string) error {
	_, err := ParseURL(text)
	return err
}

// ParseURL accepts an absolute http or https URL of at most maxURL bytes with a host, and without user name and fragment.
func ParseURL(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, fmt.Errorf("a URL has at most %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("it is not an absolute http or https URL")
	case !portFits(u.Port()):
		return nil, errors.New("its port is not from 1 to 65535")
	case u.User != nil:
		return nil, errors.New("a URL with a user name is not accepted")
	case u.Fragment != "":
		return nil, errors.New("a URL with a fragment is not accepted")
	}
	return u, nil
}

// portFits reports whether port is a valid port or empty, which stands for the scheme's own.
func portFits(port string) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && number > 0
}

func (r *reader) skills(root map[string]any) []Skill {
	var skills []Skill
	seen := make(map[string]bool)
	r.objects(root, "card", "skills", maxSkills, func(path string, o map[string]any) {
		s := Skill{
			ID: r.text(o, path, "id"), Name: r.text(o, path, "name"), Description: r.text(o, path, "description"),
			Tags: r.texts(o, path, "tags"), Examples: r.texts(o, path, "examples"),
			InputModes: r.texts(o, path, "inputModes"), OutputModes: r.texts(o, path, "outputModes"),
		}
		switch {
		case s.ID == "" || utf8.RuneCountInString(s.ID) > maxSkillID:
			r.wrong(path+".id", "a skill's id has 1 to %d characters", maxSkillID)
		case seen[s.ID]:
			r.wrong(path+".id", "the skill id %q occurs twice", fault.Clip(s.ID))
		}
		r.oneLine(path+".id", s.ID)
		for _, tag := range s.Tags {
			if utf8.RuneCountInString(tag) > maxTag {
				r.wrong(path+".tags", "a tag has at most %d characters", maxTag)
			}
			r.oneLine(path+".tags", tag)
		}
		seen[s.ID] = true
		skills = append(skills, s)
	})
	if tags := len((&Card{Skills: skills}).FoldedTags()); tags > maxTags {
		r.wrong("card.skills", "the skills have %d different tags; the most is %d", tags, maxTags)
	}
	return skills
}
