package kit

import "github.com/a2aproject/a2a-go/v2/a2a"

// inputKey is the key in a part's metadata under which the part names the input that it belongs to.
const inputKey = "input"

// Input returns the parts of an input that Metadata declares: those that are named so by their metadata or filename or, if there are none, the field of that
// name in a data part, as text if it is a string. It is empty if the caller gave no such input, or only refers to it in its text, which Quorate lets pass for
// an input of the type reference.
func (t *Task) Input(name string) []*a2a.Part {
	var named []*a2a.Part
	for _, part := range t.Parts {
		if part.Metadata[inputKey] == name || part.Filename == name {
			named = append(named, part)
		}
	}
	if len(named) > 0 {
		return named
	}
	for _, part := range t.Parts {
		data, _ := part.Content.(a2a.Data)
		fields, _ := data.Value.(map[string]any)
		switch value := fields[name].(type) {
		case nil:
		case string:
			return []*a2a.Part{a2a.NewTextPart(value)}
		default:
			return []*a2a.Part{a2a.NewDataPart(value)}
		}
	}
	return nil
}
