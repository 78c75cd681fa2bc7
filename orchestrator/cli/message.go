package cli

import (
	"encoding/json"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/apijson"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// messageFlags are the flags that say what an agent is told; at most one of them is given.
type messageFlags struct {
	text          string
	file, message inputFile
}

// add adds the flags to cmd; forText and forFile are the usage of two of them.
func (m *messageFlags) add(cmd *cobra.Command, forText, forFile string) {
	cmd.Flags().StringVar(&m.text, "text", "", forText)
	m.addFiles(cmd, forFile)
	cmd.MarkFlagsOneRequired("text", "file", "message")
	cmd.MarkFlagsMutuallyExclusive("text", "file", "message")
}

// addFiles adds the flags that name files, of which none has to be there.
func (m *messageFlags) addFiles(cmd *cobra.Command, forFile string) {
	cmd.Flags().Var(&m.file, "file", forFile)
	cmd.Flags().VarP(&m.message, "message", "f", "file with an A2A message as JSON; - reads stdin")
	cmd.MarkFlagsMutuallyExclusive("file", "message")
}

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

// inputFlag is the usage of --input.
const inputFlag = "name=value of an input that the agent declares or --have names, repeated; read like --attr"

// taskInputs returns the inputs that --input gives.
func taskInputs(texts []string) (list []*orchestratorv1.TaskInput, err error) {
	values, err := pairs("--input", texts)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, &orchestratorv1.TaskInput{Name: name, Value: values[name]})
	}
	return list, err
}

// pairs parses the key=value pairs of a flag. A value that is JSON is what it says, as in the console, and any other a text.
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
		value := structpb.NewStringValue(text)
		if json.Valid([]byte(text)) {
			if number := lost(text); number != "" {
				return nil, usage("%s %s: the number %s has more digits than are kept; to send it as a text write '%s=%s'",
					flag, key, number, key, strings.Replace(text, number, strconv.Quote(number), 1)) // without the single quotes a shell takes the others away
			}
			if err := protojson.Unmarshal([]byte(text), value); err != nil {
				return nil, usage("%s %s: %s", flag, key, apijson.Problem(err))
			}
		}
		found[key] = value
	}
	return found, nil
}

// lost returns the first number in JSON that would not be kept, or "".
func lost(text string) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		if number, ok := token.(json.Number); ok && !kept(number) {
			return number.String()
		}
	}
	return ""
}

// kept reports whether a double holds a number: otherwise a whole one would become another, of an order or an account, say, and one that is too large none.
func kept(number json.Number) bool {
	double, err := number.Float64()
	whole, ok := new(big.Int).SetString(number.String(), 10)
	if err != nil || !ok {
		return err == nil
	}
	exact, _ := big.NewFloat(double).Int(nil)
	return whole.Cmp(exact) == 0
}
