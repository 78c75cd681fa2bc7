package cli

import (
	"context"
	"io"
	"sync"
)

// untilEnded returns what reads from as long as ctx lasts, and what ends that. The read of a terminal or of a pipe cannot be called back: the last one
// is left behind, and ends with the process.
func untilEnded(ctx context.Context, from io.Reader) (io.Reader, func()) {
	read, write := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = write.CloseWithError(ctx.Err()) })
	begin := sync.OnceFunc(func() { // what no verb asks for is left to others
		go func() {
			_, err := io.Copy(write, from)
			_ = write.CloseWithError(err) // as an end where there was no error
		}()
	})
	return readerFunc(func(p []byte) (int, error) { begin(); return read.Read(p) }), func() { stop(); _ = read.Close() }
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
