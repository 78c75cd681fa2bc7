package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

func TestTextsThatFollowEachOtherAreJoined(t *testing.T) {
	t.Parallel()
	text := func(words string) *a2apb.Part { return &a2apb.Part{Content: &a2apb.Part_Text{Text: words}} }
	file, marked, page, more := text("file"), text("marked"), text("<p>"), text("</p>")
	file.Filename = "a.txt"
	marked.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"input": structpb.NewStringValue("a")}}
	page.MediaType, more.MediaType = "text/html", "text/html"
	whole := text("<p></p>")
	whole.MediaType = "text/html"
	data := &a2apb.Part{Content: &a2apb.Part_Data{Data: structpb.NewStringValue("data")}}
	for name, test := range map[string]struct{ parts, want []*a2apb.Part }{
		"nothing":               {nil, []*a2apb.Part{}},
		"one":                   {[]*a2apb.Part{text("a")}, []*a2apb.Part{text("a")}},
		"pieces":                {[]*a2apb.Part{text("a "), text("b"), text("c\n"), text("d")}, []*a2apb.Part{text("a bc\nd")}},
		"with data between":     {[]*a2apb.Part{text("a"), text("b"), data, data, text("c"), text("d")}, []*a2apb.Part{text("ab"), data, data, text("cd")}},
		"with a file between":   {[]*a2apb.Part{text("a"), file, file, text("b")}, []*a2apb.Part{text("a"), file, file, text("b")}},
		"with metadata between": {[]*a2apb.Part{text("a"), marked, marked, text("b")}, []*a2apb.Part{text("a"), marked, marked, text("b")}},
		"of two media types":    {[]*a2apb.Part{text("a"), text("b"), page, more, text("c")}, []*a2apb.Part{text("ab"), whole, text("c")}},
	} {
		if diff := cmp.Diff(test.want, orchestrator.JoinTexts(test.parts), protocmp.Transform()); diff != "" {
			t.Errorf("%s: JoinTexts() (-want +got):\n%s", name, diff)
		}
	}
}
