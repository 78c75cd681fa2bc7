// Package text finds the skill that a text asks for, without an external model.
//
// Each skill is a document of its name, description, tags, examples, inputs and outputs; each agent is another one. A text is compared with them in
// two ways: by the words that they share, weighted by inverse document frequency and relative to the highest possible score; and by a linear scorer
// over words, word pairs and pieces of words. The scorer is trained on the examples and, as one more example, on the set of words in the card's
// description of the skill. Together they give a probability for each skill; the probability of an agent is the sum over its skills.
//
// A text that resembles nothing is refused. The limit is fitted to the examples: each is scored by an index that does not contain it, and the limit
// is where the given share of them would be refused. Where there are not enough examples, and for skills without any, it is unknown how people ask:
// then the shared words must weigh enough, both absolutely and relative to the text, and words of the skill's name count most.
//
// Exaggeration does not help: within a document each word counts once, wherever and however often it occurs; duplicate examples count as one;
// invisible characters and words of praise are ignored.
package text
