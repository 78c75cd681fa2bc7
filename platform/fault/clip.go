package fault

// Clip returns text from outside as a message repeats it: if it has more than 80 characters, the first 80 and an ellipsis.
func Clip(text string) string { return ClipTo(text, 80) }

// ClipTo is Clip with another number of characters.
func ClipTo(text string, most int) string {
	characters := 0
	for at := range text {
		if characters == most {
			return text[:at] + "…"
		}
		characters++
	}
	return text
}
