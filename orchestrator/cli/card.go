package cli

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// card holds what is shown of an A2A card.
type card struct {
	description string
	skills      []cardSkill
	interfaces  []cardInterface
}

type cardSkill struct{ id, description string }

type cardInterface struct{ binding, url string }

// readCard reads a card of A2A v1.0, or of v0.3, which has its first interface at the top level, with JSON-RPC as the default, and may repeat it among the
// others.
func readCard(s *structpb.Struct) card {
	c := card{description: stringIn(s, "description")}
	for _, skill := range structsIn(s, "skills") {
		c.skills = append(c.skills, cardSkill{id: stringIn(skill, "id"), description: firstLine(stringIn(skill, "description"))})
	}
	for _, i := range structsIn(s, "supportedInterfaces") {
		c.interfaces = append(c.interfaces, cardInterface{strings.TrimSpace(stringIn(i, "protocolBinding") + " " + stringIn(i, "protocolVersion")), stringIn(i, "url")})
	}
	if len(c.interfaces) == 0 && stringIn(s, "url") != "" {
		c.interfaces = append(c.interfaces, cardInterface{cmp.Or(stringIn(s, "preferredTransport"), "JSONRPC"), stringIn(s, "url")})
		for _, i := range structsIn(s, "additionalInterfaces") {
			if other := (cardInterface{stringIn(i, "transport"), stringIn(i, "url")}); !slices.Contains(c.interfaces, other) {
				c.interfaces = append(c.interfaces, other)
			}
		}
	}
	return c
}

func stringIn(s *structpb.Struct, key string) string { return s.GetFields()[key].GetStringValue() }

func structsIn(s *structpb.Struct, key string) []*structpb.Struct {
	var list []*structpb.Struct
	for _, value := range s.GetFields()[key].GetListValue().GetValues() {
		list = append(list, value.GetStructValue())
	}
	return list
}
