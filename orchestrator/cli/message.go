package cli

import (
	"encoding/json"
	"math/big"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/structpb"
)

// messageFlags are the flags that say what an agent is told; exactly one of them is given.
type messageFlags struct {
	text          string
	file, message inputFile
}

// add adds the flags to cmd; forText and forFile are the usage of two of them.
func (m *messageFlags) add(cmd *cobra.Command, forText, forFile string) {
	flags := cmd.Flags()
	flags.StringVar(&m.text, "text", "", forText)
	flags.Var(&m.file, "file", forFile)
	flags.VarP(&m.message, "message", "f", "file with an A2A message as JSON; - reads stdin")
	cmd.MarkFlagsOneRequired("text", "file", "message")
	cmd.MarkFlagsMutuallyExclusive("text", "file", "message")
}

// message returns the message that the flags give.
func (a *app) message(m *messageFlags) (*a2apb.Message, error) {
	if m.message != "" {
		message := &a2apb.Message{}
		return message, a.readMessage(string(m.message), message)
	}
	part := textPart(m.text)
	switch {
	case m.file != "":
		content, err := a.readFile(string(m.file))
		if err != nil {
			return nil, err
		}
		part = filePart(string(m.file), content)
	case m.text == "": // more likely a variable of the shell that is not set than a message
		return nil, usage("--text is empty")
	}
	return &a2apb.Message{Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{part}}, nil
}

func textPart(text string) *a2apb.Part {
	return &a2apb.Part{Content: &a2apb.Part_Text{Text: text}}
}

// filePart returns a text part if the content is text, for agents that read text only.
func filePart(name string, content []byte) *a2apb.Part {
	part := textPart(string(content))
	if !utf8.Valid(content) {
		part = &a2apb.Part{Content: &a2apb.Part_Raw{Raw: content}}
	}
	if name != "-" {
		part.Filename = filepath.Base(name)
	}
	return part
}

// pairs parses the key=value pairs of a flag. A value that is a JSON scalar becomes that scalar, any other a string.
func pairs(flag string, texts []string) (map[string]*structpb.Value, error) {
	found := make(map[string]*structpb.Value, len(texts))
	for _, pair := range texts {
		key, text, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key) // a rule about the name without the space would not match it
		if !ok || key == "" {
			return nil, usage("%s %q is not key=value", flag, pair)
		}
		if _, twice := found[key]; twice {
			return nil, usage("%s %s is given twice", flag, key)
		}
		value := scalar(text)
		if rounded(text, value) || tooLarge(text, value) {
			return nil, usage("%s %s: the number %s has more digits than are kept; to send it as a text write %s=%q", flag, key, text, key, text)
		}
		found[key] = value
	}
	return found, nil
}

func scalar(text string) *structpb.Value {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err == nil {
		switch value := value.(type) {
		case bool:
			return structpb.NewBoolValue(value)
		case float64:
			return structpb.NewNumberValue(value)
		case string:
			return structpb.NewStringValue(value)
		case nil:
			return structpb.NewNullValue()
		}
	}
	return structpb.NewStringValue(text)
}

// rounded reports whether text is a whole number that a double cannot hold exactly: the agent would get another number, of an order or an account,
// say.
func rounded(text string, value *structpb.Value) bool {
	if _, number := value.GetKind().(*structpb.Value_NumberValue); !number {
		return false
	}
	whole, ok := new(big.Int).SetString(strings.TrimSpace(text), 10)
	if !ok {
		return false
	}
	kept, _ := new(big.Float).SetFloat64(value.GetNumberValue()).Int(nil)
	return whole.Cmp(kept) != 0
}

// tooLarge reports whether text is a number of JSON that is beyond those of a double, which scalar leaves as a text: a rule about the number would see none.
func tooLarge(text string, value *structpb.Value) bool {
	_, left := value.GetKind().(*structpb.Value_StringValue)
	return left && json.Valid([]byte(text)) && strings.ContainsAny(strings.TrimSpace(text)[:1], "-0123456789")
}
