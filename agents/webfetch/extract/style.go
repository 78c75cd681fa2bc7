package extract

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Values of styles, in lower case and without spaces, that hide an element.
var (
	far     = regexp.MustCompile(`(^|[^.\d])(\d{4}|\d{3}(r?em|ch|v[wh]|v?min|v?max))`) // thousands of pixels off the screen
	nothing = regexp.MustCompile(`scale(3d|x|y)?\(?0*\.?0+([,)]|$)`)                   // scaled to nothing
	clipped = regexp.MustCompile(`^(rect\(((0(px)?,?){3}|(1px,?){4})|inset\((50|100)%|circle\(0)`)
	faint   = regexp.MustCompile(`^(transparent|(rgb|hsl)a?\((([^,)]*,){3}|[^,)]*/)0*\.?0*%?\)|#([0-9a-f]{3}0|[0-9a-f]{6}00))$`)

	cssComment = regexp.MustCompile(`(?s)/\*.*?(\*/|$)`)
	cssEscape  = regexp.MustCompile(`\\(?:([0-9a-fA-F]{1,6})\s?|(.))`)
)

// styles are the properties of a style attribute; the last value of a property counts.
type styles map[string]string

// plainStyle returns a style attribute in lower case, without spaces, comments and escapes, which could disguise it.
func plainStyle(style string) string {
	if strings.ContainsAny(style, `\/`) {
		style = cssComment.ReplaceAllString(style, "")
		style = plainEscapes(style)
	}
	return strings.ToLower(strings.Join(strings.Fields(style), ""))
}

// plainEscapes replaces the escapes in css by their letters.
func plainEscapes(css string) string {
	return cssEscape.ReplaceAllStringFunc(css, func(escape string) string {
		code, err := strconv.ParseInt(strings.TrimSpace(escape[1:]), 16, 32)
		if err != nil {
			return escape[1:]
		}
		return string(rune(code))
	})
}

// hiddenByStyle reports whether a style attribute takes the element off the screen. A later value of the same property does not count as taking it
// back, since a browser may not support that value.
func hiddenByStyle(style string) bool {
	s := styles{}
	for declaration := range strings.SplitSeq(plainStyle(style), ";") {
		name, value, _ := strings.Cut(strings.TrimSuffix(declaration, "!important"), ":")
		if hides(name, value) {
			return true
		}
		s[name] = value
	}
	return s.colorless() || s.shut()
}

// withoutProperties returns a style attribute without its declarations of some properties, and otherwise as it is.
func withoutProperties(style string, properties ...string) string {
	var others []string
	for declaration := range strings.SplitSeq(style, ";") {
		name, _, _ := strings.Cut(declaration, ":")
		if !slices.Contains(properties, strings.ToLower(strings.TrimSpace(name))) {
			others = append(others, declaration)
		}
	}
	return strings.Join(others, ";")
}

// colorless reports whether text cannot be told from its background.
func (s styles) colorless() bool {
	color, background := s["color"], cmp.Or(s["background-color"], s["background"])
	if color == "" || s["background-clip"] == "text" || s["-webkit-background-clip"] == "text" {
		return false
	}
	switch color {
	case "inherit", "initial", "unset", "revert", "currentcolor": // these refer to something other than the background
		return false
	}
	return color == background || faint.MatchString(color)
}

// shut reports whether an element has no room for its content and cuts it off.
func (s styles) shut() bool {
	if cut := s["overflow"] + s["overflow-x"] + s["overflow-y"]; !strings.Contains(cut, "hidden") && !strings.Contains(cut, "clip") {
		return false
	}
	for _, name := range []string{"height", "width", "max-height", "max-width"} {
		if value := s[name]; value != "" && (zero(value) || value == "1px") {
			return true
		}
	}
	return false
}

// hides reports whether a single property hides the element.
func hides(name, value string) bool {
	switch name {
	case "display":
		return value == "none"
	case "visibility":
		return value == "hidden" || value == "collapse"
	case "content-visibility":
		return value == "hidden"
	case "mso-hide":
		return value == "all"
	case "opacity", "font-size", "font":
		return tooSmall(name, value)
	case "left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "margin-right":
		return strings.HasPrefix(value, "-") && far.MatchString(value)
	case "transform", "translate", "scale":
		return far.MatchString(value) || nothing.MatchString(name+value)
	case "clip", "clip-path":
		return clipped.MatchString(value)
	default:
		return false
	}
}

// tooSmall reports whether a size or an opacity makes something invisible.
func tooSmall(name, value string) bool {
	switch name {
	case "opacity":
		return tiny(value, "", 0.05) || tiny(value, "%", 5)
	case "font":
		return strings.HasPrefix(value, "0/") || strings.HasPrefix(value, "0px")
	default:
		return zero(value) || tiny(value, "px", 2) || tiny(value, "pt", 1.5) || tiny(value, "em", 0.1) || tiny(value, "%", 10)
	}
}

// tiny reports whether value is a number in the unit that is below bound.
func tiny(value, unit string, bound float64) bool {
	digits, ok := strings.CutSuffix(value, unit)
	number, err := strconv.ParseFloat(strings.TrimSuffix(digits, "r"), 64) // rem
	return ok && err == nil && number < bound
}

func zero(value string) bool {
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
	return digits != "" && strings.Trim(digits, "0.") == ""
}
