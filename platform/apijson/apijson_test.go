package apijson_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/apijson"
)

func TestAnObjectHasItsListsEvenWhenTheyAreEmpty(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]struct {
		message proto.Message
		object  string
	}{
		`{}`:                                  {&emptypb.Empty{}, `{}`},
		`[]`:                                  {&structpb.ListValue{}, `[]`},
		`{"requestTypeUrl":"a","options":[]}`: {&apipb.Method{RequestTypeUrl: "a"}, `{"requestTypeUrl":"a"}`},
		`{"methods":[],"options":[],"mixins":[]}`: {&apipb.Api{}, `{}`},
	} {
		if got := apijson.WithLists([]byte(answer.object), answer.message.ProtoReflect()); string(got) != want {
			t.Errorf("WithLists(%s) = %s, want %s", answer.object, got, want)
		}
	}
}

func TestAProblemHasNoInvisibleSpaces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"proto: (line 1:2): unknown field", "proto:\u00a0(line 1:2):\u00a0unknown field", "(line 1:2): unknown field"} {
		if got, want := apijson.Problem(errors.New(text)), "(line 1:2): unknown field"; got != want {
			t.Errorf("Problem(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestHalfOfACharacterIsCalledThat(t *testing.T) {
	t.Parallel()
	const other = "unexpected EOF"
	for raw, half := range map[string]string{
		`{"a":"abc\ud83d"}`: `\ud83d`, `{"a":"\ud83d and more"}`: `\ud83d`, `{"a":"\uDe00"}`: `\uDe00`, `["\ud83d\ude00 \ud83d\n\ude00"]`: `\ud83d`, `["\ud83d\u0041"]`: `\ud83d`,
		`{"a":"\ud83d\ude00"}`: "", `{"a":"\\ud83d"}`: "", `{"a":"\\\ud83d"}`: `\ud83d`, `{"a":"\u00e9\"\\"}`: "", `{"a":"\ud83d`: "", `{}`: "",
	} {
		want := other
		if half != "" {
			want = half + " is half of a character: a text was cut in the middle of one"
		}
		if got := apijson.ProblemIn([]byte(raw), errors.New(other)); got != want {
			t.Errorf("ProblemIn(%s) = %q, want %q", raw, got, want)
		}
	}
}
