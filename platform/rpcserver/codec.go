package rpcserver

import (
	"google.golang.org/grpc/mem"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// codec is a bounded.Codec that can leave a request undecoded, and lets answers count until they are written.
type codec struct{ bounded.Codec }

func newCodec() codec { return codec{bounded.NewCodec()} }

// Marshal encodes v.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if answer, ok := v.(*counted); ok {
		return answer.encode()
	}
	return c.Codec.Marshal(v)
}

// Unmarshal decodes data into v.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if u, ok := v.(*undecoded); ok {
		data.Ref()
		u.data = data
		return nil
	}
	return c.Codec.Unmarshal(data, v)
}

// undecoded is a request as it was received. Its data has to be freed.
type undecoded struct{ data mem.BufferSlice }

// decode decodes the request into req. A failure is an InvalidArgument status; gRPC itself would answer Internal.
func (u *undecoded) decode(req any) error {
	if err := (bounded.Codec{}).Unmarshal(u.data, req); err != nil {
		return rpcfault.Status(fault.New(fault.InvalidArgument, "REQUEST_UNREADABLE", "the request cannot be read: %s", apijson.Problem(err))).Err()
	}
	return nil
}
