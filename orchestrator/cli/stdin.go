package cli

import (
	"context"
	"io"
	"os"
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

// opener returns a function that opens a file, whose reader ends with ctx, too, and a function that closes it. Opening a pipe waits until somebody writes to
// it: at the end of ctx it is abandoned, and ends with the process.
func opener(ctx context.Context) func(name string) (from io.Reader, end func(), err error) {
	return func(name string) (io.Reader, func(), error) {
		var file *os.File
		var err error
		opened := make(chan struct{})
		go func() {
			file, err = os.Open(name)
			close(opened)
		}()
		select {
		case <-opened:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		from, end := untilEnded(ctx, file)
		return from, func() { end(); _ = file.Close() }, nil // it was only read
	}
}
