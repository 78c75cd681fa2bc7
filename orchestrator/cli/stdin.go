package cli

import (
	"context"
	"io"
	"sync"
)

// untilEnded returns a reader that ends with ctx, and a function that ends it. Reading from a terminal or pipe cannot be interrupted: the last read
// is abandoned, and ends with the process.
func untilEnded(ctx context.Context, from io.Reader) (io.Reader, func()) {
	read, write := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = write.CloseWithError(ctx.Err()) })
	begin := sync.OnceFunc(func() { // what no command reads is left to other programs
		go func() {
			_, err := io.Copy(write, from)
			_ = write.CloseWithError(err) // nil means the end of the input
		}()
	})
	return readerFunc(func(p []byte) (int, error) { begin(); return read.Read(p) }), func() { stop(); _ = read.Close() }
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
