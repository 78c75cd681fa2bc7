// Package text finds the skill that a text asks for, without a model from elsewhere.
//
// Each skill is a document of its name, description, tags, examples, inputs and outputs; each agent another one. A text is compared with
// them in two ways: by the words that they share (by their inverse document frequency, as a share of the most that a document could score), and by a linear scorer over
// words, word pairs and pieces of words that is trained on the examples and, as one more example, on the set of words that the card says of the
// skill. Both give one probability for each skill; an agent has those of its skills together.
//
// A text that is like nothing is refused. The limit is fitted to the examples: each is scored by an index that does not have it, and the
// limit is where the given share of them would be refused. Where there are not enough of them, and for skills that have none, nobody knows how people ask:
// then the words that are shared must weigh enough, in themselves and as a share of the text's, and those of the skill's name count most.
//
// Nobody gets ahead by talking loudly: within a document each word counts once, wherever and however often it is, the same example again is no
// example, characters that nobody sees are not there, and words of praise are not words at all.
package text
