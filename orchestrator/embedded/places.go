package embedded

import (
	"encoding/binary"
	"errors"
)

// places are numbers of log entries; 0 is none.
type places struct {
	events    uint64   // of the last write with events
	messages  []uint64 // of the submitted message, followed by those of the turns
	artifacts []uint64
}

var errPlaces = errors.New("where its content is cannot be read")

// maxEncodedSize returns the maximum number of bytes that append adds.
func (p *places) maxEncodedSize() int {
	return (3 + len(p.messages) + len(p.artifacts)) * binary.MaxVarintLen64
}

func (p *places) append(b []byte) []byte {
	b = binary.AppendUvarint(b, p.events)
	for _, list := range [][]uint64{p.messages, p.artifacts} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, n := range list {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

// read parses the places at the beginning of b, and returns the rest.
func (p *places) read(b []byte) (rest []byte, err error) {
	if p.events, b, err = readNumber(b); err != nil {
		return nil, err
	}
	for _, list := range []*[]uint64{&p.messages, &p.artifacts} {
		var size uint64
		if size, b, err = readNumber(b); err != nil || size > uint64(len(b)) { // each takes at least one byte
			return nil, errPlaces
		}
		*list = make([]uint64, size)
		for i := range *list {
			if (*list)[i], b, err = readNumber(b); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

func readNumber(b []byte) (n uint64, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, errPlaces
	}
	return n, b[size:], nil
}
