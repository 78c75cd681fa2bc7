package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxDocument  = 2 << 20 // bytes; a card has at most 256 KiB, and metadata adds as much or more
	maxDocuments = 1_000_000
)

// document is one document of a file as JSON, or the error that ends the file.
type document struct {
	json []byte
	err  error
}

// documents yields the YAML documents or the JSON values of a file one after the other, each with its place for people. What begins with a brace is
// JSON. Empty documents are skipped.
func documents(name string, from io.Reader) iter.Seq2[string, document] {
	return func(yield func(string, document) bool) {
		limited := &budget{from, maxDocument}
		next := reader(limited)
		for n := 1; ; n++ {
			text, err := next()
			if errors.Is(err, io.EOF) {
				return
			}
			if n > maxDocuments {
				err = fmt.Errorf("there are more than %d documents", maxDocuments)
			}
			if err != nil {
				err = fault.New(fault.InvalidArgument, "INPUT_INVALID", "%w; the rest is not read", err)
			}
			if err == nil && string(text) == "null" {
				continue
			}
			if at := fmt.Sprintf("%s, document %d", titleOf(name), n); !yield(at, document{text, err}) || err != nil {
				return
			}
			limited.left = maxDocument
		}
	}
}

// budget reads until nothing is left to spend.
type budget struct {
	from io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it is longer than %d bytes", maxDocument)
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// reader returns a function that returns the next document as JSON, and io.EOF at the end.
func reader(from io.Reader) func() ([]byte, error) {
	buffered := bufio.NewReader(from)
	start, _ := buffered.Peek(buffered.Size()) // reading meets the same error
	if !bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")) {
		return yamlReader(buffered)
	}
	decoder := json.NewDecoder(buffered)
	return func() ([]byte, error) {
		var value json.RawMessage
		err := decoder.Decode(&value)
		return value, placed(decoder, err)
	}
}

// placed adds to an error of syntax where it is in the document that decoder has begun to read, in the words of protojson.
func placed(decoder *json.Decoder, err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
		return err
	}
	begun, _ := io.ReadAll(decoder.Buffered()) // it is in memory
	if place := fault.PlaceInJSON(bytes.TrimLeft(begun, " \t\r\n")); place != "" {
		return fmt.Errorf("(%s): %w", place, err)
	}
	return err
}

func yamlReader(from io.Reader) func() ([]byte, error) {
	decoder := yaml.NewDecoder(from)
	return func() ([]byte, error) {
		var node yaml.Node
		if err := decoder.Decode(&node); err != nil {
			return nil, err
		}
		asJSON(&node)
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "))
		}
		return json.Marshal(value)
	}
}

// asJSON makes texts of what JSON has no form for: dates, and keys that are no texts.
func asJSON(node *yaml.Node) {
	for i, child := range node.Content {
		asJSON(child)
		key := node.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode && child.Tag != "!!merge"
		if key || child.Tag == "!!timestamp" {
			child.Tag = "!!str"
		}
	}
}
