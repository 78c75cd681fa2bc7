package fault

// Kind is the class of a fault; it says what a caller can do about it.
type Kind int

// The kinds. The zero value is Internal, so that an error nobody classified stays ours.
const (
	Internal           Kind = iota // a bug or a broken dependency of ours
	InvalidArgument                // the request can never succeed as it is
	NotFound                       // the named thing does not exist, or the caller may not know that it does
	AlreadyExists                  // the name is taken
	Conflict                       // somebody else changed the thing; read again and retry
	FailedPrecondition             // the thing is not in the state that the request needs
	Unauthenticated                // the credential is missing or wrong
	PermissionDenied               // the credential is right and does not suffice
	ResourceExhausted              // a quota or a limit is used up; retry later
	Unavailable                    // try again, perhaps elsewhere
	DeadlineExceeded               // the time allowed was too short
)

// String returns the kind in lower case words.
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
