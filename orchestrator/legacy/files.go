package legacy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// emptyFile stands for the content of an empty file while a2a-go's types hold it, which have no files without content.
const emptyFile = "the content of an empty file, 5f3c1d0a-3c0e-4f0b-9a51-0d6f1c8e2b7d"

// Decode decodes JSON of 0.3 into one of a2a-go's types. It takes files that those do not: empty ones, and base64 in the alphabet for URLs or without
// padding, of which they would take the text for the content.
func Decode(raw []byte, said any) error {
	return json.Unmarshal(withFiles(raw), said)
}

// withFiles returns JSON with the content of its files as a2a-go's types take it.
func withFiles(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"bytes"`)) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || !fixFiles(value) {
		return raw
	}
	fixed, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return fixed
}

// fixFiles changes the content of the files in a value as needed, and reports whether it did.
func fixFiles(value any) (fixed bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			fixed = fixFiles(item) || fixed
		}
	case map[string]any:
		if file, ok := v["file"].(map[string]any); ok && v["kind"] == "file" {
			return fixFile(file)
		}
		for key, item := range v {
			if key != "data" && key != "metadata" { // which may hold anything
				fixed = fixFiles(item) || fixed
			}
		}
	}
	return fixed
}

func fixFile(file map[string]any) bool {
	text, ok := file["bytes"].(string)
	if _, linked := file["uri"]; !ok || linked {
		return false
	}
	if text == "" {
		file["bytes"] = base64.StdEncoding.EncodeToString([]byte(emptyFile))
		return true
	}
	if _, err := base64.StdEncoding.DecodeString(text); err == nil {
		return false
	}
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	content, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil {
		return false
	}
	file["bytes"] = base64.StdEncoding.EncodeToString(content)
	return true
}

// emptyFiles gives the empty files in a message their content back.
func emptyFiles(m proto.Message) {
	for _, parts := range partsIn(m) {
		for _, p := range *parts {
			if raw, is := p.GetContent().(*a2apb.Part_Raw); is && string(raw.Raw) == emptyFile {
				raw.Raw = []byte{}
			}
		}
	}
}
