package bounded_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/bounded"
)

func TestTooManyValuesAreNotDecoded(t *testing.T) {
	t.Parallel()
	const many = bounded.MaxValues
	filler := strings.Repeat("x", 2*many)
	for name, test := range map[string]struct {
		body    string
		refused bool
	}{
		"as many as there may be":        {"[" + strings.Repeat("{},", many/2-1) + "{}" + strings.Repeat(" ", many) + "]", false},
		"one more":                       {"[" + strings.Repeat("{},", many/2) + "{}" + strings.Repeat(" ", many) + "]", true},
		"numbers":                        {"[" + strings.Repeat("1,", many) + "1]", true},
		"lists in lists":                 {strings.Repeat("[", 2*many+1), true},
		"text that looks like them":      {`"` + strings.Repeat("{[,", many) + `"`, false},
		"text with a quote that is text": {`"` + filler + `\"` + strings.Repeat(",", many+1) + `"`, false},
		"text that ends":                 {`"` + filler + `\\"` + strings.Repeat(",", many+1), true},
		"few":                            {"[" + strings.Repeat("1,", many-1) + "]", false},
	} {
		if err := bounded.JSON([]byte(test.body)); (err != nil) != test.refused {
			t.Errorf("%s: JSON() = %v, want an error: %t", name, err, test.refused)
		}
	}
}

func TestTooManyMessagesAreNotDecoded(t *testing.T) {
	t.Parallel()
	const many = bounded.MaxValues
	kind := (&structpb.ListValue{}).ProtoReflect().Descriptor()
	items := func(n int) []byte { return []byte(strings.Repeat("\x0a\x00", n)) } // empty ones, of two bytes each
	filler := wrapped(1, wrapped(3, make([]byte, 2*many)))                       // a text, so that there are bytes enough to look at
	deep := func(n int) []byte {                                                 // a value in so many lists with a value that is a list
		body := items(1)
		for range n {
			body = wrapped(1, wrapped(6, body))
		}
		return append(body, filler...)
	}
	text, err := proto.Marshal(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue(strings.Repeat("\x0a\x00", many+1))}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		body    []byte
		refused string
	}{
		"as many as there may be":   {append(items(many), 0x10, 0), ""}, // and a number that the message does not know
		"one more":                  {items(many + 1), "more than 262144 values"},
		"in one another":            {deep(499), ""},
		"deeper in one another":     {deep(500), "deep"},
		"after an unknown number":   {append([]byte{0x10, 0}, items(many+1)...), "more than 262144 values"},
		"after a text":              {wrapped(1, append(wrapped(3, nil), wrapped(6, items(many))...)), "more than 262144 values"},
		"text that looks like them": {text, ""},
		"a text that is unknown":    {append(items(many), 0x7a, 0), ""},
		"a number in place of text": {append(items(many), 0x08, 0), ""},
		"no message":                {append(items(many), 0x0a), "ends early"},
		"half a tag":                {append(items(many), 0xff), "ends early"},
		"few":                       {items(10), ""},
	} {
		err := bounded.Message(test.body, kind)
		if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: Message() = %v, want %q", name, err, test.refused)
		}
	}
}

func wrapped(number protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), body)
}
