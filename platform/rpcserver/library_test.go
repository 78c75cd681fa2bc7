package rpcserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// The library is a small service whose descriptors are made here, so that the module needs no generated code. What it does
// depends on the name of the book.
const (
	getBook    = "/test.v1.Library/GetBook"
	createBook = "/test.v1.Library/CreateBook"
	watchBooks = "/test.v1.Library/WatchBooks"
)

var library = newLibrary()

// newLibrary must run before anything ranges over the global registry, which a later registration would deadlock.
func newLibrary() protoreflect.FileDescriptor {
	text, number := descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT64
	field := func(name string, index int32, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: new(name), Number: new(index), Type: kind.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	name := field("name", 1, text)
	ruled := func(rules *validate.StringRules) *descriptorpb.FieldOptions {
		options := &descriptorpb.FieldOptions{}
		proto.SetExtension(options, validate.E_Field, validate.FieldRules_builder{String: rules}.Build())
		return options
	}
	name.Options = ruled(validate.StringRules_builder{Pattern: new("^[a-z]+$")}.Build())
	of := func(name string, index int32, kind string) *descriptorpb.FieldDescriptorProto {
		f := field(name, index, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE)
		f.TypeName = new(kind)
		return f
	}
	loan, due, returned := of("loan", 3, ".google.protobuf.Duration"), of("due", 4, ".google.protobuf.Timestamp"), of("returned", 5, ".google.protobuf.Timestamp")
	others := of("others", 7, ".test.v1.Book")
	tags, labels := field("tags", 9, text), of("labels", 10, ".test.v1.CreateBookRequest.LabelsEntry")
	for _, list := range []*descriptorpb.FieldDescriptorProto{returned, others, tags, labels} {
		list.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	}
	message := func(name string, fields ...*descriptorpb.FieldDescriptorProto) *descriptorpb.DescriptorProto {
		return &descriptorpb.DescriptorProto{Name: new(name), Field: fields}
	}
	shop, donor, place := field("shop", 1, text), field("donor", 2, text), field("shelf_place", 3, text)
	shop.OneofIndex, donor.OneofIndex = new(int32), new(int32)
	donor.Options = ruled(validate.StringRules_builder{MinLen: new(uint64(1))}.Build())
	kind, cover := field("kind", 4, text), field("cover", 5, descriptorpb.FieldDescriptorProto_TYPE_ENUM)
	kind.Options = ruled(validate.StringRules_builder{In: []string{"", "paper", "sound"}}.Build())
	cover.TypeName = new(".test.v1.Cover")
	source := message("Source", shop, donor, place, kind, cover)
	source.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: new("from")}}
	create := message("CreateBookRequest", of("book", 1, ".test.v1.Book"), field("request_id", 2, text), loan, due, returned, of("note", 6, ".google.protobuf.Value"), others,
		of("source", 8, ".test.v1.Source"), tags, labels)
	label := message("LabelsEntry", field("key", 1, text), field("value", 2, text))
	label.Options = &descriptorpb.MessageOptions{MapEntry: new(true)}
	create.NestedType = []*descriptorpb.DescriptorProto{label}
	method := func(name, in string, rule *annotations.HttpRule) *descriptorpb.MethodDescriptorProto {
		m := &descriptorpb.MethodDescriptorProto{
			Name: new(name), InputType: new(".test.v1." + in), OutputType: new(".test.v1.Book"),
			Options: &descriptorpb.MethodOptions{},
		}
		proto.SetExtension(m.GetOptions(), annotations.E_Http, rule)
		return m
	}
	then := field("then", 2, text)
	then.Options = ruled(validate.StringRules_builder{Pattern: new("^[a-z]*$")}.Build())
	watch := method("WatchBooks", "WatchBooksRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: "/v1/books:watch"}})
	watch.ServerStreaming = new(true)
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("test/v1/library.proto"), Package: new("test.v1"), Syntax: new("proto3"),
		Dependency: []string{"google/api/annotations.proto", "google/protobuf/duration.proto", "google/protobuf/struct.proto", "google/protobuf/timestamp.proto", "buf/validate/validate.proto"},
		MessageType: []*descriptorpb.DescriptorProto{
			message("Book", proto.CloneOf(name), field("etag", 2, text), field("sequence", 3, number)),
			message("GetBookRequest", name, field("view_mode", 2, text)),
			create,
			source,
			message("WatchBooksRequest", field("count", 1, number), then),
			message("Shelf", field("name", 1, text), others, field("next_page_token", 8, text), of("best", 9, ".test.v1.Shelf")),
		},
		EnumType: []*descriptorpb.EnumDescriptorProto{{Name: new("Cover"), Value: []*descriptorpb.EnumValueDescriptorProto{
			{Name: new("COVER_UNSPECIFIED"), Number: new(int32)}, {Name: new("COVER_HARD"), Number: new(int32(1))}, {Name: new("COVER_SOFT"), Number: new(int32(2))},
		}}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Library"), Method: []*descriptorpb.MethodDescriptorProto{
			method("GetBook", "GetBookRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: "/v1/books/{name}"}}),
			method("CreateBook", "CreateBookRequest", &annotations.HttpRule{
				Pattern: &annotations.HttpRule_Post{Post: "/v1/books"}, Body: "*",
				AdditionalBindings: []*annotations.HttpRule{
					{Pattern: &annotations.HttpRule_Patch{Patch: "/v1/orders/{request_id}/book"}, Body: "book"},
					{Pattern: &annotations.HttpRule_Post{Post: "/v1/orders/{request_id}"}, Body: "*"},
				},
			}),
			watch,
		}}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	if err := protoregistry.GlobalFiles.RegisterFile(file); err != nil {
		panic(err)
	}
	return file
}

func newMessage(name string, pairs ...string) *dynamicpb.Message {
	m := dynamicpb.NewMessage(library.Messages().ByName(protoreflect.Name(name)))
	for i := 0; i < len(pairs); i += 2 {
		m.Set(m.Descriptor().Fields().ByName(protoreflect.Name(pairs[i])), protoreflect.ValueOfString(pairs[i+1]))
	}
	return m
}

func get(m proto.Message, field string) protoreflect.Value {
	r := m.ProtoReflect()
	return r.Get(r.Descriptor().Fields().ByName(protoreflect.Name(field)))
}

// failures are what the library answers for some books.
var failures = map[string]error{
	"away":    fault.New(fault.Unavailable, "AUTHOR_AWAY", "the author does not answer"),
	"broken":  errors.New("hunter2"),
	"burnt":   &fault.Error{Kind: fault.Unavailable, Reason: "STORE_UNREACHABLE", Message: "the store gives no answer", Ours: true},
	"busy":    &fault.Error{Kind: fault.ResourceExhausted, Reason: "QUOTA", Message: "later", RetryAfter: 1500 * time.Millisecond},
	"foreign": &rpcfault.RelayedError{From: "another library", Answer: status.New(codes.Internal, "hunter2")},
	"lent":    status.Error(codes.FailedPrecondition, "a status that is no fault"),
	"lost":    status.Error(codes.DataLoss, "a page is torn out"),
	"odd":     status.Error(codes.Code(99), "a code that gRPC does not know"),
	"reused":  fault.New(fault.Conflict, "REQUEST_ID_REUSED", "the request id was used"),
	"stale":   fault.New(fault.Conflict, "ETAG_MISMATCH", "the book has changed"),
}

func answer(ctx context.Context, name string) (proto.Message, error) {
	if err := failures[name]; err != nil {
		return nil, err
	}
	switch name {
	case "panic":
		panic("hunter2")
	case "missing":
		return nil, fault.New(fault.NotFound, "BOOK_NOT_FOUND", "book %q does not exist", name).With("book", name)
	case "whoami":
		p, _ := auth.FromContext(ctx)
		return newMessage("Book", "name", p.Name, "etag", rpcserver.IfMatch(ctx)), nil
	case "metadata":
		md, _ := metadata.FromIncomingContext(ctx)
		var keys []string
		for key := range md {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return newMessage("Book", "name", strings.Join(keys, " ")), nil
	case "trace":
		span := trace.SpanContextFromContext(ctx)
		return newMessage("Book", "name", fmt.Sprint(span.TraceID(), " ", span.TraceState(), " ", baggage.FromContext(ctx))), nil
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return newMessage("Book", "name", name, "etag", "7"), nil
}

func unary(method, in string, nameOf func(proto.Message) string) grpc.MethodDesc {
	return grpc.MethodDesc{
		MethodName: method[strings.LastIndex(method, "/")+1:],
		Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			req := newMessage(in)
			if err := decode(req); err != nil {
				return nil, err
			}
			return intercept(ctx, req, &grpc.UnaryServerInfo{FullMethod: method}, func(ctx context.Context, req any) (any, error) {
				return answer(ctx, nameOf(req.(proto.Message)))
			})
		},
	}
}

var libraryService = grpc.ServiceDesc{
	ServiceName: "test.v1.Library",
	Methods: []grpc.MethodDesc{
		unary(getBook, "GetBookRequest", func(m proto.Message) string { return get(m, "name").String() }),
		unary(createBook, "CreateBookRequest", func(m proto.Message) string { return get(get(m, "book").Message().Interface(), "name").String() }),
	},
	Streams: []grpc.StreamDesc{{StreamName: "WatchBooks", ServerStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
		req := newMessage("WatchBooksRequest")
		if err := stream.RecvMsg(req); err != nil {
			return err
		}
		for i := range get(req, "count").Int() {
			book := newMessage("Book", "name", "b", "etag", "7")
			book.Set(book.Descriptor().Fields().ByName("sequence"), protoreflect.ValueOfInt64(i+1))
			if err := stream.SendMsg(book); err != nil {
				return err
			}
		}
		if then := get(req, "then").String(); then != "" {
			_, err := answer(stream.Context(), then)
			return err
		}
		return nil
	}}},
}

// registerLibrary does what generated gateway code does.
func registerLibrary(_ context.Context, mux *runtime.ServeMux, conn grpc.ClientConnInterface) error {
	type call func(ctx context.Context, in runtime.Marshaler, r *http.Request, path map[string]string) (proto.Message, error)
	handle := func(verb, pattern, method string, c call) error {
		return mux.HandlePath(verb, pattern, func(w http.ResponseWriter, r *http.Request, path map[string]string) {
			in, out := runtime.MarshalerForRequest(mux, r)
			ctx, err := runtime.AnnotateContext(r.Context(), mux, r, method)
			if err != nil {
				runtime.HTTPError(ctx, mux, out, w, r, err)
				return
			}
			req, err := c(ctx, in, r, path)
			if err != nil {
				runtime.HTTPError(ctx, mux, out, w, r, status.Errorf(codes.InvalidArgument, "%v", err))
				return
			}
			if method == watchBooks {
				forwardStream(ctx, mux, conn, out, w, r, req)
				return
			}
			resp := newMessage("Book")
			if err := conn.Invoke(ctx, method, req, resp); err != nil {
				runtime.HTTPError(ctx, mux, out, w, r, err)
				return
			}
			runtime.ForwardResponseMessage(ctx, mux, out, w, r, resp, mux.GetForwardResponseOptions()...)
		})
	}
	return errors.Join(
		handle(http.MethodGet, "/v1/books/{name}", getBook, func(_ context.Context, _ runtime.Marshaler, r *http.Request, path map[string]string) (proto.Message, error) {
			req := newMessage("GetBookRequest", "name", path["name"])
			return req, runtime.PopulateQueryParameters(req, r.URL.Query(), utilities.NewDoubleArray([][]string{{"name"}}))
		}),
		handle(http.MethodPost, "/v1/books/{name}:return", getBook, func(_ context.Context, _ runtime.Marshaler, _ *http.Request, path map[string]string) (proto.Message, error) {
			return newMessage("GetBookRequest", "name", path["name"]), nil
		}),
		handle(http.MethodPost, "/v1/books", createBook, func(_ context.Context, in runtime.Marshaler, r *http.Request, _ map[string]string) (proto.Message, error) {
			req := newMessage("CreateBookRequest")
			if err := in.NewDecoder(r.Body).Decode(req); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return req, nil
		}),
		handle(http.MethodPost, "/v1/orders/{request_id}", createBook, func(_ context.Context, in runtime.Marshaler, r *http.Request, path map[string]string) (proto.Message, error) {
			req := newMessage("CreateBookRequest")
			if err := in.NewDecoder(r.Body).Decode(req); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			req.Set(req.Descriptor().Fields().ByName("request_id"), protoreflect.ValueOfString(path["request_id"]))
			return req, nil
		}),
		handle(http.MethodPatch, "/v1/orders/{request_id}/book", createBook, func(_ context.Context, in runtime.Marshaler, r *http.Request, path map[string]string) (proto.Message, error) {
			req, book := newMessage("CreateBookRequest", "request_id", path["request_id"]), newMessage("Book")
			if err := in.NewDecoder(r.Body).Decode(book); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			req.Set(req.Descriptor().Fields().ByName("book"), protoreflect.ValueOfMessage(book))
			return req, runtime.PopulateQueryParameters(req, r.URL.Query(), utilities.NewDoubleArray([][]string{{"book"}, {"request_id"}}))
		}),
		handle(http.MethodGet, "/v1/books:watch", watchBooks, func(_ context.Context, _ runtime.Marshaler, r *http.Request, _ map[string]string) (proto.Message, error) {
			req := newMessage("WatchBooksRequest")
			return req, runtime.PopulateQueryParameters(req, r.URL.Query(), utilities.NewDoubleArray(nil))
		}),
	)
}

func forwardStream(ctx context.Context, mux *runtime.ServeMux, conn grpc.ClientConnInterface, out runtime.Marshaler, w http.ResponseWriter, r *http.Request, req proto.Message) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, watchBooks)
	if err == nil {
		err = errors.Join(stream.SendMsg(req), stream.CloseSend())
	}
	if err == nil {
		_, err = stream.Header()
	}
	if err != nil {
		runtime.HTTPError(ctx, mux, out, w, r, err)
		return
	}
	ctx = runtime.NewServerMetadataContext(ctx, runtime.ServerMetadata{})
	runtime.ForwardResponseStream(ctx, mux, out, w, r, func() (proto.Message, error) {
		book := newMessage("Book")
		return book, stream.RecvMsg(book)
	}, mux.GetForwardResponseOptions()...)
}
