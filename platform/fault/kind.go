package fault

// Kind is the class of a fault. It says what a caller can do about it.
type Kind int

// The kinds of faults. The zero value is Internal, so an error that nobody classified counts as ours.
const (
	Internal           Kind = iota // a bug or a broken dependency of ours
	InvalidArgument                // the request can never succeed as it is
	NotFound                       // the resource does not exist, or the caller may not know that it does
	AlreadyExists                  // the name is taken
	Conflict                       // somebody else changed the resource; read it again and retry
	FailedPrecondition             // the resource is not in the state that the request needs
	Unauthenticated                // the credential is missing or wrong
	PermissionDenied               // the credential is valid but does not suffice
	ResourceExhausted              // a quota or a limit is used up; retry later
	Unavailable                    // retry, perhaps elsewhere
	DeadlineExceeded               // the time allowed was too short
)

// String returns the kind as lower-case words.
func (k Kind) String() string {
	switch k {
	case InvalidArgument:
		return "invalid argument"
	case NotFound:
		return "not found"
	case AlreadyExists:
		return "already exists"
	case Conflict:
		return "conflict"
	case FailedPrecondition:
		return "failed precondition"
	case Unauthenticated:
		return "unauthenticated"
	case PermissionDenied:
		return "permission denied"
	case ResourceExhausted:
		return "resource exhausted"
	case Unavailable:
		return "unavailable"
	case DeadlineExceeded:
		return "deadline exceeded"
	case Internal:
	}
	return "internal"
}
