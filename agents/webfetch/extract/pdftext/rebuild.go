package pdftext

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// maxRebuilt is how many objects a file may have whose table is rebuilt.
const maxRebuilt = 100_000

var (
	objectPattern  = regexp.MustCompile(`\b([0-9]{1,6})[\x00\t\n\f\r ]+([0-9]{1,5})[\x00\t\n\f\r ]+obj\b`)
	catalogPattern = regexp.MustCompile(`/Type` + whiteSpace + `/Catalog\b`)
	secretPattern  = regexp.MustCompile(`/Encrypt\b`)
)

// rebuilt returns a file with a table of the objects that data holds, as other readers make one when it is missing or wrong: the file was cut, or changed by a
// program that took it for text. It returns nil for files of which the objects alone do not say enough.
func rebuilt(data []byte) []byte {
	found := objectPattern.FindAllSubmatchIndex(data, maxRebuilt+1)
	catalogs := catalogPattern.FindAllIndex(data, maxRebuilt)
	if len(found) > maxRebuilt || len(catalogs) == 0 || secretPattern.Match(data) {
		return nil
	}
	lines, root := map[int][]byte{}, "" // of several objects with the same number, the last one counts
	for _, m := range found {
		id, _ := strconv.Atoi(string(data[m[2]:m[3]]))
		generation, _ := strconv.Atoi(string(data[m[4]:m[5]]))
		lines[id] = fmt.Appendf(nil, "%d 1\n%010d %05d n \n", id, m[0], generation)
		if m[0] < catalogs[len(catalogs)-1][0] {
			root = fmt.Sprintf("%d %d R", id, generation)
		}
	}
	out := append(bytes.Clone(data), "\nxref\n"...)
	table, most := len(data)+1, 0
	for _, id := range slices.Sorted(maps.Keys(lines)) {
		out, most = append(out, lines[id]...), id
	}
	return fmt.Appendf(out, "trailer\n<< /Size %d /Root %s >>\nstartxref\n%d\n%%%%EOF", most+1, root, table)
}
