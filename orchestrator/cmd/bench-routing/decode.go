package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
)

var byteOrderMark = []byte("\ufeff") // some editors put it in front

// readFile reads a text. Characters in another encoding would be compared as something else, without a word.
func readFile(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the set: %w", err)
	}
	if b = bytes.TrimPrefix(b, byteOrderMark); utf8.Valid(b) {
		return b, nil
	}
	at := 0
	for r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(b[at:]) {
		at += n
	}
	return nil, fmt.Errorf("%s, line %d: is not UTF-8; save the file as UTF-8", name, 1+bytes.Count(b[:at], []byte("\n")))
}

func readJSON(name string, into any) error {
	b, err := readFile(name)
	if err != nil {
		return err
	}
	if err := decode(b, into); err != nil {
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("%s, line %d: %w", name, 1+bytes.Count(b[:min(int(wrong.Offset), len(b))], []byte("\n")), err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readLines(name string, each func(line) error) error {
	b, err := readFile(name)
	if err != nil {
		return err
	}
	n := 0
	for raw := range bytes.Lines(b) {
		n++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		var l line
		err := decode(raw, &l)
		if err == nil && l.Text == nil {
			err = errors.New(`has no "text"`)
		}
		if err == nil {
			err = each(l)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
	}
	return nil
}

// decode decodes JSON, and says what is wrong with it in words of JSON.
// decode decodes JSON, and says what is wrong with it in words of JSON.
func decode(b []byte, into any) error {
	if err := json.Unmarshal(b, into); err != nil {
		return fault.InWordsOfJSON(err) // the caller says where it is
	}
	return nil
}
