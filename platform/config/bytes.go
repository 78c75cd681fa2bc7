package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a size that is written with a binary unit: 512, 64Ki, 1Mi, 2Gi.
type Bytes int64

var units = []struct {
	name string
	size int64
}{{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"", 1}}

// UnmarshalText reads a size that is not negative.
func (b *Bytes) UnmarshalText(text []byte) error {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/unit.size {
			break
		}
		*b = Bytes(n * unit.size)
		return nil
	}
	return fmt.Errorf("%q is not a size such as 512, 64Ki, 1Mi or 2Gi", text)
}

// String returns the size in the largest unit that divides it.
func (b Bytes) String() string {
	for _, unit := range units {
		if b != 0 && int64(b)%unit.size == 0 {
			return strconv.FormatInt(int64(b)/unit.size, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
