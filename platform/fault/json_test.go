package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/quorate/quorate/platform/fault"
)

func TestInWordsOfJSON(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`[]`:                    "array where an object is expected",
		`{"list":"x"}`:          `"list" is of type string, where a list is expected`,
		`{"list":[{"name":5}]}`: `"list.name" is of type number, where a string is expected`,
		`{"is":"yes"}`:          `"is" is of type string, where true or false is expected`,
		`{"by":1}`:              `"by" is of type number, where an object is expected`,
		`{"n":300}`:             `"n" is of type number 300, where a number that fits is expected`,
		`{`:                     "unexpected end of JSON input",
	} {
		var into struct {
			List []struct {
				Name string `json:"name"`
			} `json:"list"`
			Is bool              `json:"is"`
			By map[string]string `json:"by"`
			N  uint8             `json:"n"`
		}
		if got := fault.InWordsOfJSON(json.Unmarshal([]byte(document), &into)); got.Error() != want {
			t.Errorf("InWordsOfJSON() of %s = %q, want %q", document, got, want)
		}
	}
}

func TestPlaceInJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{}": "", "": "", " []\n": "", "x": "line 1:1", "{\n  \"é\": oops\n}": "line 2:8", "{\n\"a\": 1,\n}": "line 3:1", "{}\n{}": "line 2:1", "[1": "line 1:2",
	} {
		if got := fault.PlaceInJSON([]byte(text)); got != want {
			t.Errorf("PlaceInJSON(%q) = %q, want %q", text, got, want)
		}
	}
}
