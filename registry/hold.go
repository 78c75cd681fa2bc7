package registry

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/quorate/quorate/registry/agentcard"
)

// maxRefused is how many refused changes of an agent are remembered, newest first.
const maxRefused = 8

// waits reports whether a change by author takes effect only when an admin approves it. What an admin brings has no author.
func (r *Registry) waits(author string) bool {
	return author != "" && r.cardChanges == CardChangesConfirm
}

// cardChange compares a card with the live one in what matters. It returns the differences, and a digest that identifies the change. Without a URL
// nothing is said about where the card is read.
func cardChange(old *Record, c *content, uri string) ([]Difference, string, error) {
	var d differences
	from, to := originOf(old.CardURI), originOf(uri)
	if uri != "" && from != to {
		d.compare("cardUri", originValue(from), originValue(to))
	}
	is, err := cardEssence(c.raw)
	if err != nil {
		return nil, "", err
	}
	if c.hash != old.liveHash() {
		was, err := cardEssence(old.RawCard)
		if err != nil { // it was taken under other rules
			was = nil
		}
		d.compare("card", was, is)
	}
	digest, err := digestOf(is, to)
	return d.done(), digest, err
}

// originValue returns an origin for comparison; there may be none.
func originValue(origin string) any {
	if origin == "" {
		return none{}
	}
	return origin
}

// holdCard returns the change that has a card wait, instead of one that waits already. One that was refused, or that an admin went back from, does not
// wait again.
func (r *Registry) holdCard(old *Record, c content, uri string, h Held) (next Record, change Change, warnings []agentcard.Warning, err error) {
	next, waiting := *old, old.Pending.card()
	live := c.hash == old.liveHash()
	switch {
	case slices.Contains(old.Refused, h.Digest), waiting == nil && !live && c.hash == old.LatestHash:
		return next, Change{Record: &next}, append(slices.Clip(c.warnings), refusedWarning("card")), nil
	case waiting != nil && waiting.Hash == c.hash && waiting.CardURI == uri:
		return next, Change{Record: &next}, append(slices.Clip(c.warnings), waitsWarning("card", waiting.Held)), nil
	}
	number := old.LatestVersion
	if live {
		number = old.LiveVersion
	} else if !old.latestWaits() && !old.tookBack(c.hash) {
		number++
	}
	h.Author, h.Time = c.author, later(r.now().UTC(), old.UpdateTime)
	next.Pending = old.Pending.with(&PendingCard{Held: h, Version: number, Hash: c.hash, CardURI: uri}, old.Pending.schemas())
	switch {
	case !live:
		next.LatestVersion, next.LatestHash, next.TakenBackHash = number, c.hash, ""
	case old.latestWaits():
		next.takeLatestBack() // it waits no more, and may come again
	}
	if change, err = r.write(old, &next); err != nil {
		return Record{}, Change{}, nil, err
	}
	if !live {
		change.Version = c.version(next.Name, number, uri, next.UpdateTime, agentcard.BreakingChanges(&old.Card, &c.card))
	}
	return next, change, append(slices.Clip(c.warnings), waitsWarning("card", h)), nil
}

// latestWaits reports whether the latest version is a card that waits, whose place another one takes.
func (a *Agent) latestWaits() bool {
	waiting := a.Pending.card()
	return waiting != nil && waiting.Version == a.LatestVersion && waiting.Version != a.LiveVersion
}

// takeBack ends the wait of a card when what is read at the same place is like the live one again. If the card that waited comes once more, it waits
// once more.
func (a *Agent) takeBack(uri string) {
	waiting := a.Pending.card()
	if waiting == nil || waiting.CardURI != uri {
		return
	}
	if a.latestWaits() {
		a.takeLatestBack()
	}
	a.Pending = a.Pending.with(nil, a.Pending.schemas())
}

func (a *Agent) takeLatestBack() { a.LatestHash, a.TakenBackHash = "", a.LatestHash }

// tookBack reports whether the latest version is a card with the hash that was taken back. Where a card comes and goes, as during a roll-out, versions of its own
// each time would drive out those that were live.
func (a *Agent) tookBack(hash string) bool { return a.LatestHash == "" && a.TakenBackHash == hash }

// holdSchemas has the schemas in next wait if their author may not change them, and puts those of old back. Without anything to hold, it ends the wait
// of other schemas: what is in force then is newer.
func (r *Registry) holdSchemas(old, next *Record, author string) ([]agentcard.Warning, error) {
	if !r.waits(author) {
		if !sameSchemas(&old.Metadata, &next.Metadata) {
			next.Pending = next.Pending.with(next.Pending.card(), nil)
		}
		return nil, nil
	}
	was, err := schemasEssence(&old.Metadata)
	if err != nil {
		return nil, err
	}
	is, err := schemasEssence(&next.Metadata)
	if err != nil {
		return nil, err
	}
	var d differences
	d.compare("metadata", was, is)
	if len(d.list) == 0 {
		next.Pending = next.Pending.with(next.Pending.card(), nil)
		return nil, nil
	}
	h := Held{Author: author, Time: later(r.now().UTC(), old.UpdateTime), Differences: d.done()}
	if h.Digest, err = digestOf(is, ""); err != nil {
		return nil, err
	}
	brought := next.Metadata
	next.Metadata.InputSchemas, next.Metadata.OutputSchemas = old.Metadata.InputSchemas, old.Metadata.OutputSchemas
	if slices.Contains(old.Refused, h.Digest) {
		return []agentcard.Warning{refusedWarning("metadata")}, nil
	}
	if waiting := old.Pending.schemas(); waiting == nil || !sameSchemas(waiting.metadata(), &brought) {
		next.Pending = next.Pending.with(next.Pending.card(), &PendingSchemas{Held: h, InputSchemas: brought.InputSchemas, OutputSchemas: brought.OutputSchemas})
	}
	return []agentcard.Warning{waitsWarning("metadata", h)}, nil
}

func (p *PendingSchemas) metadata() *agentcard.Metadata {
	return &agentcard.Metadata{InputSchemas: p.InputSchemas, OutputSchemas: p.OutputSchemas}
}

func sameSchemas(a, b *agentcard.Metadata) bool {
	return sameJSON(a.InputSchemas, b.InputSchemas) && sameJSON(a.OutputSchemas, b.OutputSchemas)
}

// logWaiting logs that a card waits which nobody else is told about.
func (r *Registry) logWaiting(ctx context.Context, a *Agent) {
	r.logger.WarnContext(ctx, "change of a card waits for an admin", slog.String("agent", a.Name), slog.String("tenant", a.Tenant),
		slog.Int64("version", a.Pending.Card.Version), slog.String("author", a.Pending.Card.Author), slog.String("field", a.Pending.Card.Differences[0].Field))
}

func waitsWarning(field string, h Held) agentcard.Warning {
	more := ""
	if n := len(h.Differences) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return agentcard.Warning{
		Code: "CHANGE_WAITS", Field: field,
		Message: "an admin has to approve this change (" + h.Differences[0].Field + more + "); until then what was confirmed stays in force",
	}
}

func refusedWarning(field string) agentcard.Warning {
	return agentcard.Warning{Code: "CHANGE_REFUSED", Field: field, Message: "an admin has refused this change, so it has no effect; what was confirmed stays in force"}
}
