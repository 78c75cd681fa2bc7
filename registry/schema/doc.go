// Package schema checks JSON Schemas, of 2020-12 or an older draft that they name, and compares them: Within reports whether every value that one schema
// allows is allowed by another, which decides whether an agent's output fits another agent's input. Invalid checks a value that is there.
//
// Schemas come from agents and are taken to be hostile: each comparison has a budget, and ends with "no" when that is used up or when it cannot tell.
// A value is then taken to be valid. Nothing is loaded from files or the network.
//
// The comparison goes top down. within.go takes a pair of schemas apart, references.go follows references, and cycle.go ends where these lead in a cycle;
// branches.go picks alternatives, keywords.go and object.go compare what is left, and same.go has the keywords that must be the same on both sides. Where the
// output lists its values, values.go validates these instead. document.go, items.go, parts.go and elsewhere.go read schemas, and merge.go merges them.
// budget.go and weigh.go bound the work.
package schema
