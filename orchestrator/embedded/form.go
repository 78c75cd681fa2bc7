package embedded

import (
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/fault"
)

// form is the version of the stored form of tasks. Change it with anything that an earlier version could not read, or that keeps this version from
// reading what an earlier one wrote.
const form = "4"

var (
	formBucket = []byte("tasks_form") // formKey → form
	formKey    = []byte("form")
)

// checkForm stores the form if there are no tasks yet, and refuses to work with tasks of another form: reading them would yield wrong results, and
// the version that wrote them could not read what is added.
func checkForm(tx *bbolt.Tx) error {
	forms, err := tx.CreateBucketIfNotExists(formBucket)
	if err != nil {
		return err
	}
	switch found := string(forms.Get(formKey)); {
	case found == form:
		return nil
	case found == "" && empty(tx.Bucket(taskBucket)):
		return forms.Put(formKey, []byte(form))
	}
	file := tx.DB().Path()
	return fault.New(fault.FailedPrecondition, "STORE_FORM_UNKNOWN",
		"the tasks in %s were written by another version of quorate, and this one cannot read them; start that version, or choose another data directory than %s",
		file, filepath.Dir(file)).With("path", file)
}

func empty(b *bbolt.Bucket) bool {
	if b == nil {
		return true
	}
	key, _ := b.Cursor().First()
	return key == nil
}
