package agent

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

// The reasons of messages that cannot be worked on, both InvalidArgument.
const (
	ReasonURLMissing  = "URL_MISSING"  // no http or https URL in it
	ReasonDataInvalid = "DATA_INVALID" // a data part with a url and something that is not understood
)

// urlInText finds URLs in prose; Japanese and Chinese punctuation ends one as white space does.
var urlInText = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"'` + "`" + `\\^{}|、。，「」『』（）［］【】〈〉《》]+`)

// readRequest returns the first page that the message names, and how many more it names.
func readRequest(t *kit.Task) (req webfetch.Request, more int, err error) {
	var found []webfetch.Request
	for _, part := range t.Parts {
		switch content := part.Content.(type) {
		case a2a.Text:
			for _, raw := range urlInText.FindAllString(string(content), -1) {
				found = append(found, webfetch.Request{URL: trim(raw)})
			}
		case a2a.Data:
			req, ok, err := readData(content.Value)
			if err != nil {
				return webfetch.Request{}, 0, err
			}
			if ok {
				found = append(found, req)
			}
		}
	}
	if len(found) == 0 {
		return webfetch.Request{}, 0, fault.Invalid("message", ReasonURLMissing, "the message names no page; write its http or https URL, such as: Fetch https://example.com/article")
	}
	return found[0], len(found) - 1, nil
}

// readData reads a data part that has a url; other data is not for this agent.
func readData(value any) (req webfetch.Request, ok bool, err error) {
	object, _ := value.(map[string]any)
	if _, ok := object["url"]; !ok {
		return req, false, nil
	}
	var fields struct {
		URL    string          `json:"url"`
		Format webfetch.Format `json:"format"`
	}
	raw, err := json.Marshal(object)
	if err == nil {
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&fields)
	}
	if err != nil {
		return req, false, fault.Invalid("message.parts", ReasonDataInvalid, "the data part may hold the texts url and format only: %w", err)
	}
	return webfetch.Request{URL: fields.URL, Format: fields.Format}, true, nil
}

// trim drops the punctuation of the sentence around a URL, but not a bracket that the URL itself opens.
func trim(raw string) string {
	for raw != "" {
		last := raw[len(raw)-1]
		opens := map[byte]string{')': "(", ']': "["}[last]
		switch {
		case strings.IndexByte(".,;:!?*_~", last) >= 0:
		case opens != "" && strings.Count(raw, opens) < strings.Count(raw, string(last)):
		default:
			return raw
		}
		raw = raw[:len(raw)-1]
	}
	return raw
}
