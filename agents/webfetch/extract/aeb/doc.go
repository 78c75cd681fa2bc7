// Package aeb scores the extraction of main content as the Article Extraction Benchmark does
// (https://github.com/scrapinghub/article-extraction-benchmark).
//
// A set of pages is a folder with ground-truth.json, an object {id: {"articleBody": text, "url": optional}}, and html/ID.html.gz
// or html/ID.html for each id. Tokens are runs of letters, digits and underscores with their case kept; the multisets of
// four-token shingles of both texts are compared, each page counts the same, and F1 is that of the mean precision and the mean recall.
package aeb
