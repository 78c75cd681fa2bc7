package kit

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// chunkBytes is how much text of an artifact is delivered at once. Longer text is delivered in chunks, so that the caller sees it arrive.
const chunkBytes = 128 << 10

// Artifact is a result: Parts if there are any, Raw bytes if Raw is not nil, or else Text.
type Artifact struct {
	Name      string // for Raw, also that of the file
	MediaType string // of Text or Raw; Parts have their own
	Text      string
	Raw       []byte
	Parts     []*a2a.Part    // such as data, URLs, or several files
	Metadata  map[string]any // for programs; may be nil
}

// a2a returns the artifact's one A2A form, the same wherever it goes: evidence is about its exact parts.
func (f Artifact) a2a() *a2a.Artifact {
	made := &a2a.Artifact{ID: a2a.NewArtifactID(), Name: printable(f.Name), Metadata: asJSON(f.Metadata)}
	switch {
	case len(f.Parts) > 0:
		made.Parts = asReceived(f.Parts)
		return made
	case f.Raw != nil:
		file := a2a.NewRawPart(f.Raw)
		file.Filename = made.Name
		made.Parts = a2a.ContentParts{file}
	default:
		for _, chunk := range chunks(printable(f.Text)) {
			made.Parts = append(made.Parts, a2a.NewTextPart(chunk))
		}
	}
	for _, part := range made.Parts {
		part.MediaType = printable(f.MediaType)
	}
	return made
}

// asReceived returns parts as their reader gets them in each binding: text is UTF-8, and data and metadata consist of what JSON has. What cannot be JSON
// stays, and is refused when it is delivered.
func asReceived(parts []*a2a.Part) []*a2a.Part {
	made := make([]*a2a.Part, len(parts))
	for i, part := range parts {
		if part != nil {
			made[i] = partAsReceived(*part)
		}
	}
	return made
}

func partAsReceived(part a2a.Part) *a2a.Part {
	part.Filename, part.MediaType, part.Metadata = printable(part.Filename), printable(part.MediaType), asJSON(part.Metadata)
	switch content := part.Content.(type) {
	case a2a.Text:
		part.Content = a2a.Text(printable(string(content)))
	case a2a.URL:
		part.Content = a2a.URL(printable(string(content)))
	case a2a.Data:
		part.Content = a2a.Data{Value: asJSON(content.Value)}
	}
	return &part
}

// asJSON returns what a reader of JSON gets of value, which protobuf demands, or value itself if it cannot be JSON.
func asJSON[T any](value T) T {
	var read T
	if encoded, err := json.Marshal(value); err != nil || json.Unmarshal(encoded, &read) != nil {
		return value
	}
	return read
}

// chunks splits text into pieces of at most chunkBytes, at line ends where possible. Joined, they are the text again.
func chunks(text string) []string {
	var list []string
	for len(text) > chunkBytes {
		end := strings.LastIndexByte(text[:chunkBytes], '\n') + 1
		if end == 0 {
			for end = chunkBytes; !utf8.RuneStart(text[end]); end-- {
			}
		}
		list, text = append(list, text[:end]), text[end:]
	}
	return append(list, text)
}

// printable replaces invalid UTF-8, which protobuf refuses.
func printable(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
