package orchestrator

import (
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// JoinTexts returns the parts of an artifact, of which it makes one of texts that follow each other: an agent that streams what its model says makes a part
// of every few letters, and the kit divides long texts. A text with a filename or metadata stays by itself, as does one of another media type.
func JoinTexts(parts []*a2apb.Part) []*a2apb.Part {
	joined := make([]*a2apb.Part, 0, len(parts))
	for i := 0; i < len(parts); {
		n := pieces(parts[i:])
		if n == 1 {
			joined = append(joined, parts[i])
		} else {
			var text strings.Builder
			for _, p := range parts[i : i+n] {
				text.WriteString(p.GetText())
			}
			joined = append(joined, &a2apb.Part{Content: &a2apb.Part_Text{Text: text.String()}, MediaType: parts[i].GetMediaType()})
		}
		i += n
	}
	return joined
}

// pieces returns how many of the parts, from the first, are pieces of one text; 1 if the first is something else.
func pieces(parts []*a2apb.Part) int {
	n := 0
	for n < len(parts) && isPiece(parts[n]) && parts[n].GetMediaType() == parts[0].GetMediaType() {
		n++
	}
	return max(n, 1)
}

func isPiece(p *a2apb.Part) bool {
	_, text := p.GetContent().(*a2apb.Part_Text)
	return text && p.GetFilename() == "" && len(p.GetMetadata().GetFields()) == 0
}
