package legacy

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Keys of what text and data have beside their content, in the metadata of their part: 0.3 has no other place for it, and reviewers need it for the digest.
const (
	filenameKey  = "filename"
	mediaTypeKey = "mediaType"
)

// named returns req with the file names and media types of text and data in the metadata of their parts, where the sender has no such keys. It returns
// req itself if there is nothing to do, and otherwise a copy.
func named(req *a2apb.SendMessageRequest) *a2apb.SendMessageRequest {
	if !slices.ContainsFunc(req.GetMessage().GetParts(), losesNames) {
		return req
	}
	req = proto.CloneOf(req)
	for _, p := range req.GetMessage().GetParts() {
		if losesNames(p) {
			keep(p, filenameKey, p.GetFilename())
			keep(p, mediaTypeKey, p.GetMediaType())
		}
	}
	return req
}

func losesNames(p *a2apb.Part) bool {
	switch p.GetContent().(type) {
	case *a2apb.Part_Text, *a2apb.Part_Data:
		return p.GetFilename() != "" || p.GetMediaType() != ""
	}
	return false
}

func keep(p *a2apb.Part, key, value string) {
	if _, taken := p.GetMetadata().GetFields()[key]; taken || value == "" {
		return
	}
	if p.GetMetadata().GetFields() == nil {
		p.Metadata = &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	}
	p.Metadata.Fields[key] = structpb.NewStringValue(value)
}
