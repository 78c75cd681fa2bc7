package agentcard

import "regexp"

// NameRule says which names ValidName accepts.
const NameRule = "letters, digits and inner hyphens, 1 to 64 characters"

var namePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?$`)

// ValidName reports whether an agent can have the name.
func ValidName(name string) bool { return namePattern.MatchString(name) }
