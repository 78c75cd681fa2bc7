package registry

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/filter"
)

// Order is the order of a list of agents: by one field and then by name. The zero value is the order of names.
type Order struct {
	field      string // empty is name
	descending bool
}

// ParseOrder parses an order: name, create_time, update_time or version, each optionally followed by asc or desc. An error is an InvalidArgument
// fault with the reason ORDER_INVALID.
func ParseOrder(text string) (Order, error) {
	words := strings.Fields(text)
	invalid := fault.Invalid("order_by", "ORDER_INVALID", "%q is not an order: name, create_time, update_time or version, with desc behind it for the reverse", fault.Clip(text))
	if len(words) == 0 {
		return Order{}, nil
	}
	field := filter.FieldName(words[0])
	if len(words) > 2 || !slices.Contains([]string{"name", "create_time", "update_time", "version"}, field) {
		return Order{}, invalid
	}
	o := Order{field: field}
	if len(words) == 2 {
		if o.descending = words[1] == "desc"; !o.descending && words[1] != "asc" {
			return Order{}, invalid
		}
	}
	if o == (Order{field: "name"}) {
		return Order{}, nil
	}
	return o, nil
}

// ByName reports whether this is the order in which stores keep agents.
func (o Order) ByName() bool { return o == Order{} }

// orderPlace is the position of an agent in an order.
type orderPlace struct {
	at   time.Time
	ver  *semver.Version
	name string
}

// text returns the place in the form that AgentsInOrder takes.
func (p *orderPlace) text() string {
	value := ""
	switch {
	case p.ver != nil:
		value = p.ver.Original()
	case !p.at.IsZero():
		value = p.at.Format(time.RFC3339Nano)
	}
	return value + "\x00" + p.name
}

func (o Order) placeOf(a *Agent) orderPlace {
	p := orderPlace{name: a.Name}
	switch o.field {
	case "create_time":
		p.at = a.CreateTime
	case "update_time":
		p.at = a.UpdateTime
	case "version":
		p.ver, _ = semver.StrictNewVersion(a.Card.Version) // a stored card has a valid version
	}
	return p
}

func (o Order) placeFrom(text string) (p orderPlace, ok bool) {
	value, name, ok := strings.Cut(text, "\x00")
	if !ok {
		return orderPlace{}, false
	}
	p.name = name
	var err error
	switch o.field {
	case "create_time", "update_time":
		p.at, err = time.Parse(time.RFC3339Nano, value)
	case "version":
		p.ver, err = semver.StrictNewVersion(value)
	}
	return p, err == nil
}

// compare compares two places in ascending order.
func (o Order) compare(a, b *orderPlace) int {
	c := 0
	switch {
	case o.field == "version" && a.ver != nil && b.ver != nil:
		c = a.ver.Compare(b.ver)
	case o.field == "create_time", o.field == "update_time":
		c = a.at.Compare(b.at)
	}
	if c == 0 {
		c = strings.Compare(a.name, b.name)
	}
	return c
}

// AgentsInOrder returns at most limit (up to 1,000) agents of the tenant that match the filter, in the order, with their status, starting behind the
// place after or, when that is empty, at the beginning. Along with each agent it returns the place from which another call can continue. A place
// stays what it was when the list was made, even if its agent has moved since.
func (r *Registry) AgentsInOrder(ctx context.Context, tenant string, o Order, f Filter, after string, limit int) (agents []Agent, places []string, err error) {
	limit = clampLimit(limit)
	var from *orderPlace
	if after != "" {
		p, ok := o.placeFrom(after)
		if !ok {
			return nil, nil, fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token is not one of this list; start from the first page")
		}
		from = &p
	}
	if err := r.directory.Sync(ctx, tenant); err != nil {
		return nil, nil, err
	}
	if err := r.directory.readPulsesFor(ctx, r.directory.tenant(tenant), f); err != nil {
		return nil, nil, err
	}
	for {
		want := limit - len(agents)
		found := r.directory.inOrder(tenant, o, f, from, want)
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = p.name
		}
		there, err := r.named(ctx, tenant, names)
		if err != nil {
			return nil, nil, err
		}
		for _, from = range found {
			if a := there[from.name]; a != nil { // it may have been deleted meanwhile
				agents, places = append(agents, *a), append(places, from.text())
			}
		}
		if len(found) < want || len(agents) == limit {
			return agents, places, nil
		}
	}
}
