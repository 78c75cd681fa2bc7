package agentcard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

// Decode returns the card as one JSON object. Unlike encoding/json it refuses everything that two readers could read differently: duplicate keys,
// names that differ in case only, invalid UTF-8, and half of a surrogate pair.
func Decode(raw []byte) (map[string]any, error) {
	switch {
	case len(raw) > MaxBytes:
		return nil, fault.Invalid("card", "CARD_TOO_LARGE", "the card has more than %d bytes", MaxBytes)
	case LooksLikeHTML(raw):
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "this is HTML, not a card")
	case bytes.HasPrefix(raw, []byte("\ufeff")):
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "the card begins with a byte order mark, which JSON must not have (RFC 8259): save it without one")
	case !utf8.Valid(raw):
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "the card is not valid UTF-8")
	}
	tree, err := decodeValue(json.NewDecoder(bytes.NewReader(raw)), maxDepth)
	if _, isFault := errors.AsType[*fault.Error](err); isFault {
		return nil, err
	}
	if err == nil && !json.Valid(raw) { // a second value after the first
		err = errors.New("there is more after the object's end")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	if large, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = errors.New("the " + large.Value + " is too large")
	}
	if err != nil {
		place := fault.PlaceInJSON(raw)
		if place != "" {
			place = ", " + place
		}
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "the card is not valid JSON%s: %s", place, fault.ClipTo(err.Error(), maxMistake))
	}
	if hasHalfCharacter(raw) {
		return nil, fault.Invalid("card", "CARD_NOT_JSON", `the card has half of a surrogate pair, which is no character: write both halves, such as \ud83d\ude00`)
	}
	root, ok := tree.(map[string]any)
	if !ok {
		return nil, fault.Invalid("card", "CARD_NOT_JSON", "the card is not a JSON object")
	}
	return root, nil
}

// LooksLikeHTML reports whether what was read in place of a card is a web page.
func LooksLikeHTML(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, "\ufeff \t\r\n"), []byte("<"))
}

// hasHalfCharacter reports whether valid JSON has an escape for one half of a surrogate pair without the other. encoding/json replaces it.
func hasHalfCharacter(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return false
	}
	_, err := jws.Canonical(raw) // keys and numbers are known to be good
	return err != nil
}

// decodeValue reads the next value, nested at most depth levels deep.
func decodeValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return token, nil
	}
	if depth == 0 {
		return nil, fault.Invalid("card", "CARD_TOO_DEEP", "the card is nested more than %d levels deep", maxDepth)
	}
	if delim == '[' {
		return decodeList(d, depth-1)
	}
	return decodeObject(d, depth-1)
}

func decodeList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		value, err := decodeValue(d, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.Token() // the closing bracket
	return list, err
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	object := make(map[string]any)
	folded := make(map[string]string)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("an object's key is not a string")
		}
		if _, twice := object[key]; twice {
			return nil, fault.Invalid("card", "CARD_DUPLICATE_KEY", "the key %q occurs twice in one object", fault.Clip(key))
		}
		fold := strings.ToLower(strings.ToUpper(key)) // as encoding/json compares them, with the Kelvin sign and the long s
		if other, twice := folded[fold]; twice {
			return nil, fault.Invalid("card", "CARD_DUPLICATE_KEY", "the keys %q and %q in one object differ only in case, which some readers ignore", fault.Clip(other), fault.Clip(key))
		}
		folded[fold] = key
		if object[key], err = decodeValue(d, depth); err != nil {
			return nil, err
		}
	}
	_, err := d.Token() // the closing brace
	return object, err
}
