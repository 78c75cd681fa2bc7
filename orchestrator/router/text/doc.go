// Package text finds the skill that a text asks for, without an external model.
//
// Each skill is a document of its name, description, tags, examples, inputs and outputs, with what its agent says of itself beside it. Skills that say the
// same share a document: an agent that runs several times, under several names, is found as if it ran once, and then all of them are. A text is compared with
// them in four ways: by the words that they share, weighted by inverse document frequency and relative to the highest possible score; by the pieces of words
// that it shares with the skill's name; by a linear scorer over words, word pairs and pieces of words; and, for the likeliest skills that have many examples,
// by the examples that it resembles most. The scorer is trained on the examples and, as one more example, on the set of words in the card's description of the
// skill. Together they give a probability for each skill; the probability of an agent is the sum over its skills.
//
// A text that resembles nothing is refused. The limit is fitted to the examples: each is scored by an index that does not contain it, nor one that says the
// same, and the limit is where the given share of them would be refused. The fewer examples there are, the less they show how people ask. So the confidence
// then depends less on what they taught and more on the words that the text shares with the card, those of the skill's name most of all; and the limit is
// closer to one that suits public sets with one example for each skill, which refuses more. No single example changes much. For skills without any, the shared
// words alone must weigh enough, both absolutely and relative to the text.
//
// A word that no skill uses is taken for one that some do if it differs by a slip: a letter too many, too few or another, or two in the other order.
//
// Exaggeration does not help: within a document each word counts once, wherever and however often it occurs; duplicate examples count as one, and so does a
// skill that its agent lists again under another id; invisible characters and words of praise are ignored.
package text
