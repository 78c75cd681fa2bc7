package boltdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// The form of a file, in bytes: that of bbolt, which has it as package internal/common.
const (
	headBytes   = 16 // of a page: its number, kind, number of entries, and how many pages behind it belong to it
	entryBytes  = 16 // of an entry: in a branch the place and length of a key and the page it leads to; in a leaf flags, a place, and the lengths of a key and a value
	bucketBytes = 16 // of the value that stands for a bucket: its first page, or 0 if that follows at once, and a counter

	kindBranch, kindLeaf = 1, 2
	flagBucket           = 1
)

// sound reads every key and returns an error if the pages make no sense, such as those of a copy that was made while the file was written: they would kill the
// process, when bbolt opens the file or days later. To find the free pages it reads all others, too: it panics at what it finds wrong there, partly in a goroutine of
// its own that nobody can recover from, and reads for ever where pages lead to each other.
func sound(tx *bbolt.Tx) (err error) {
	f, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	size := int64(tx.DB().Info().PageSize)
	p := pages{file: f, size: size, used: make([]bool, tx.Size()/size)}
	p.used[0], p.used[1] = true, true // they say where the others are, and have a checksum
	if _, err := p.tree(uint64(tx.Cursor().Bucket().RootPage()), nil); err != nil {
		return fmt.Errorf("%w: %w; replace it with a complete copy, such as a backup", errDamaged, err)
	}
	return nil
}

// has reports whether the file has a bucket of that name. It reads the few pages on the way to it, and trusts none of them.
func has(tx *bbolt.Tx, bucket []byte) (bool, error) {
	f, err := os.Open(tx.DB().Path())
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	const levels = 8                 // more than buckets of ours fill
	size := int64(tx.DB().Info().PageSize)
	number := uint64(tx.Cursor().Bucket().RootPage())
	for range levels {
		head := make([]byte, size)
		at := int64(number) * size //nolint:gosec // a wrong one cannot be read
		if _, err := f.ReadAt(head, at); err != nil {
			return false, err
		}
		g := page{head: head, at: at, size: size * (int64(binary.NativeEndian.Uint32(head[12:])) + 1), file: f}
		found, err := g.find(bucket)
		if err != nil || found.child == 0 {
			return found.bucket && bytes.Equal(found.key, bucket), err
		}
		number = found.child
	}
	return false, fmt.Errorf("its buckets are below more than %d pages", levels)
}

var (
	errOrder = errors.New("its keys are not in order")
	errPlace = errors.New("a key or a value is not where its page says")
)

// pages checks the pages of a file, each once.
type pages struct {
	file io.ReaderAt
	size int64  // of a page, in bytes
	used []bool // by number, whether another page leads to it
}

// tree checks a page and all that it leads to. Its first key is low or a later one. It returns the last key.
func (p *pages) tree(number uint64, low []byte) (last []byte, err error) {
	head := make([]byte, p.size)
	if number >= uint64(len(p.used)) {
		return nil, fmt.Errorf("it has no page %d", number)
	}
	at := int64(number) * p.size //nolint:gosec // less than the size of the file
	if _, err := p.file.ReadAt(head, at); err != nil {
		return nil, err
	}
	if found := binary.NativeEndian.Uint64(head); found != number {
		return nil, fmt.Errorf("page %d says that it is page %d", number, found)
	}
	behind := number + uint64(binary.NativeEndian.Uint32(head[12:])) + 1
	for i := number; i < behind; i++ {
		if i >= uint64(len(p.used)) || p.used[i] {
			return nil, fmt.Errorf("page %d is part of page %d, and is another one or behind the end", i, number)
		}
		p.used[i] = true
	}
	return p.entries(page{head: head, at: at, size: int64(behind-number) * p.size, file: p.file}, low) //nolint:gosec // less than the size of the file
}

// entries checks the entries of a page. A branch leads to a page for each.
func (p *pages) entries(g page, low []byte) (last []byte, err error) {
	kind, count := binary.NativeEndian.Uint16(g.head[8:]), binary.NativeEndian.Uint16(g.head[10:])
	if kind != kindLeaf && (kind != kindBranch || count == 0) {
		return nil, fmt.Errorf("a page of the kind %d has %d entries", kind, count)
	}
	last = low
	for i := range int64(count) {
		e, err := g.entry(kind, i)
		if err != nil {
			return nil, err
		}
		if order := bytes.Compare(last, e.key); order > 0 || i > 0 && order == 0 {
			return nil, errOrder
		}
		last = e.key
		switch {
		case kind == kindBranch:
			last, err = p.tree(e.child, e.key)
		case e.bucket:
			err = p.bucket(e.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}

// bucket checks what a bucket has in its pages or, if it is small, in the value that stands for it.
func (p *pages) bucket(value []byte) (err error) {
	if len(value) < bucketBytes {
		return errPlace
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		_, err = p.tree(root, nil)
		return err
	}
	if value = value[bucketBytes:]; len(value) < headBytes {
		return errPlace
	}
	_, err = p.entries(page{head: value, size: int64(len(value))}, nil)
	return err
}

// page is a page in a file or in a value.
type page struct {
	head []byte      // its beginning
	size int64       // in bytes
	at   int64       // its place in the file
	file io.ReaderAt // for what is behind head
}

type entry struct {
	key    []byte
	child  uint64 // page to which a branch leads
	bucket bool
	value  []byte // of a bucket
}

func (g page) entry(kind uint16, i int64) (e entry, err error) {
	at := headBytes + entryBytes*i
	raw, err := g.bytes(at, entryBytes)
	if err != nil {
		return e, err
	}
	number := func(place int) int64 { return int64(binary.NativeEndian.Uint32(raw[place:])) }
	if kind == kindBranch {
		e.child = binary.NativeEndian.Uint64(raw[8:])
		e.key, err = g.key(at+number(0), number(4))
		return e, err
	}
	from, behind := at+number(4)+number(8), at+number(4)+number(8)+number(12)
	if e.bucket = number(0)&flagBucket != 0; behind > g.size || e.bucket && behind-from > int64(len(g.head)) {
		return e, errPlace
	}
	if e.key, err = g.key(at+number(4), number(8)); err == nil && e.bucket {
		e.value, err = g.bytes(from, behind-from)
	}
	return e, err
}

// find returns the last entry that is not behind a key, or else the first one.
func (g page) find(key []byte) (found entry, err error) {
	kind, count := binary.NativeEndian.Uint16(g.head[8:]), binary.NativeEndian.Uint16(g.head[10:])
	if kind != kindLeaf && kind != kindBranch {
		return found, fmt.Errorf("a page is of the kind %d", kind)
	}
	for i := range int64(count) {
		e, err := g.entry(kind, i)
		if err != nil || i > 0 && bytes.Compare(e.key, key) > 0 {
			return found, err
		}
		found = e
	}
	return found, nil
}

func (g page) key(at, size int64) ([]byte, error) {
	if size > bbolt.MaxKeySize {
		return nil, errPlace
	}
	return g.bytes(at, size)
}

// bytes returns a part of the page.
func (g page) bytes(at, size int64) ([]byte, error) {
	switch head := int64(len(g.head)); {
	case at+size > g.size:
		return nil, errPlace
	case at+size <= head:
		return g.head[at : at+size], nil
	}
	part := make([]byte, size)
	_, err := g.file.ReadAt(part, g.at+at)
	return part, err
}
