package agentcard

// Warning is something in a request that was accepted but may be a mistake.
type Warning struct {
	Code    string `json:"code"`    // stable, UPPER_SNAKE
	Message string `json:"message"` // what is odd, and what to do about it
	Field   string `json:"field"`   // path in the request, such as card.skills
}
