package bounded

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec is gRPC's own codec for protobuf, but for messages with too many values, which it refuses to decode.
type Codec struct{ encoding.CodecV2 }

// NewCodec returns a Codec.
func NewCodec() Codec { return Codec{encoding.GetCodecV2(grpcproto.Name)} }

// Unmarshal decodes data into v.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	message, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no message", v)
	}
	body := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer body.Free()
	return Unmarshal(body.ReadOnlyData(), message)
}

// Unmarshal decodes data into m, but for a message with too many values.
func Unmarshal(data []byte, m proto.Message) error {
	if err := Message(data, m.ProtoReflect().Descriptor()); err != nil {
		return err
	}
	return proto.Unmarshal(data, m)
}
