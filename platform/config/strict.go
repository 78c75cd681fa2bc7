package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/platform/bounded"
)

// ReadStrict reads the one YAML document in the regular file at path, of at most 1 MiB, into dst, for files beside the configuration, such as of credentials. A field
// that dst does not have and a second document are errors. No error repeats a value, which may be a secret. An empty file leaves dst as it is.
func ReadStrict(path string, dst any) error {
	data, err := bounded.RegularFile(path, maxFile)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	switch err := decoder.Decode(dst); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return inPlainWords(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("it has more than one document")
	}
	return nil
}

var (
	// quoted matches a value of a wrong type in errors of the YAML decoder, and Go types that mean nothing to operators.
	quoted = regexp.MustCompile("(?s) `.*?`| in type .*| into .*")
	// unknown matches what it says of a field that does not exist; of a field named file it reads as if a file were missing.
	unknown = regexp.MustCompile(`field (\S+) not found in type .*`)
)

// inPlainWords returns an error of the YAML decoder on one line, without values and types.
func inPlainWords(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimSpace(quoted.ReplaceAllString(unknown.ReplaceAllString(line, "unknown field $1"), "")))
	}
	return errors.New(strings.Join(lines, "; "))
}
