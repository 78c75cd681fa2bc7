package cli

import (
	"bytes"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// maxInputBytes is the maximum size of a file that is read. The server's own limits are lower.
const maxInputBytes = 1 << 20

// inputFile is the value of a flag that names a file to read. It is not empty: a variable of the shell that is not set does not stand for no file, where
// that leaves out what was to be sent. For the same reason there is one file only.
type inputFile string

var errGivenTwice = errors.New("is given twice")

// Set accepts any name, once.
func (f *inputFile) Set(name string) error {
	if name == "" {
		return errors.New("must be the name of a file")
	}
	if *f != "" {
		return errGivenTwice
	}
	*f = inputFile(name)
	return nil
}

// String returns the name.
func (f *inputFile) String() string { return string(*f) }

// Type is the name of the values in help texts.
func (*inputFile) Type() string { return "name" }

// nonEmpty is the value of a flag that may be left out, but is not empty: a variable of the shell that is not set would stand for no guard against changes of
// others, no identity of a request, or another tenant, server or caller.
type nonEmpty string

// Set accepts any text but the empty one.
func (n *nonEmpty) Set(text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	*n = nonEmpty(text)
	return nil
}

// String returns the text.
func (n *nonEmpty) String() string { return string(*n) }

// Type is the name of the values in help texts.
func (*nonEmpty) Type() string { return "string" }

// openInput opens a file, or stdin for "-". end closes it.
func (a *app) openInput(name string) (from io.Reader, end func(), err error) {
	if name == "-" {
		return a.input, func() {}, nil
	}
	if from, end, err = a.open(name); err != nil {
		return nil, nil, unreadable(err)
	}
	return from, end, nil
}

// readFile reads a file of at most 1 MiB; "-" stands for stdin.
func (a *app) readFile(name string) ([]byte, error) {
	from, end, err := a.openInput(name)
	if err != nil {
		return nil, err
	}
	defer end()
	content, err := bounded.Read(from, titleOf(name), maxInputBytes)
	switch {
	case errors.Is(err, bounded.ErrTooLarge):
		return nil, fault.New(fault.InvalidArgument, "INPUT_TOO_LARGE", "%w", err)
	case err != nil:
		return nil, unreadable(err)
	}
	return content, nil
}

// unreadable returns the fault for a file that was named and cannot be read, whichever flag or argument named it.
func unreadable(err error) error {
	return fault.New(fault.InvalidArgument, "INPUT_INVALID", "reading the input: %w", err)
}

// readMessage reads a file of protojson into m. An unknown field is an error, since it is most likely a typo.
func (a *app) readMessage(name string, m proto.Message) error {
	content, err := a.readFile(name)
	if err != nil {
		return err
	}
	return parseMessage(name, content, m)
}

// parseMessage is readMessage for content that was read already.
func parseMessage(name string, content []byte, m proto.Message) error {
	title := titleOf(name)
	switch { // protojson's error would end with a character that nobody sees
	case len(bytes.TrimSpace(content)) == 0:
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "%s is empty", title)
	case bytes.HasPrefix(content, []byte("\ufeff")):
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "%s begins with a byte order mark; save it as UTF-8 without one", title)
	}
	if err := protojson.Unmarshal(content, m); err != nil {
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "%s: %s", title, apijson.Problem(err))
	}
	return nil
}

// titleOf returns what a file is called in errors.
func titleOf(name string) string { return choose(name == "-", "stdin", name) }
