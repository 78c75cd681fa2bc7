package aeb

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/quorate/quorate/platform/bounded"
)

// maxPage bounds one page, in bytes.
const maxPage = 64 << 20

// Page is one page of a set.
type Page struct {
	ID    string
	URL   string // empty when the set does not say
	HTML  []byte
	Truth string // what a person marked as the content
}

// Load reads all pages of the set in folder, ordered by id.
func Load(folder fs.FS) ([]Page, error) {
	index, err := fs.ReadFile(folder, "ground-truth.json")
	if err != nil {
		return nil, fmt.Errorf("read the set: %w", err)
	}
	var truth map[string]struct {
		ArticleBody string `json:"articleBody"`
		URL         string `json:"url"`
	}
	if err := json.Unmarshal(index, &truth); err != nil {
		return nil, fmt.Errorf("read ground-truth.json: %w", err)
	}
	pages := make([]Page, 0, len(truth))
	for id, t := range truth {
		source, err := page(folder, id)
		if err != nil {
			return nil, fmt.Errorf("read page %s: %w", id, err)
		}
		pages = append(pages, Page{ID: id, URL: t.URL, HTML: source, Truth: t.ArticleBody})
	}
	slices.SortFunc(pages, func(a, b Page) int { return cmp.Compare(a.ID, b.ID) })
	return pages, nil
}

func page(folder fs.FS, id string) ([]byte, error) {
	data, err := fs.ReadFile(folder, "html/"+id+".html")
	if err == nil {
		return data, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, err = fs.ReadFile(folder, "html/"+id+".html.gz")
	if err != nil {
		return nil, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return bounded.Read(unzipped, "it", maxPage)
}
