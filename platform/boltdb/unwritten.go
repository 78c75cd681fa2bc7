package boltdb

// Unwritten marks the error that a closure returns which has written nothing, such as one that has found a conflict: there is nothing to roll back, so the others of
// its group need not run again. The closure must not have written: that would stay. Update returns the error itself. Of nil it is nil.
func Unwritten(err error) error {
	if err == nil {
		return nil
	}
	return &unwrittenError{err}
}

type unwrittenError struct{ error }
