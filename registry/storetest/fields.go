package storetest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
)

// everyField finds fields of the domain that a store has forgotten.
func everyField(t *testing.T, s registry.Store) {
	f := &filler{}
	var record registry.Record
	f.fill(reflect.ValueOf(&record).Elem())
	record.Tenant, record.Name, record.Card.Name, record.Status = "t", "a", "a", registry.Status{}
	var pulse registry.Pulse
	f.fill(reflect.ValueOf(&pulse).Elem())
	var remembered registry.Request
	f.fill(reflect.ValueOf(&remembered).Elem())
	err := s.Update(t.Context(), record.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: &record, Pulse: &pulse, Remember: &remembered}, nil
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	got, err := s.Agent(t.Context(), record.Key())
	if err != nil || cmp.Diff(record, got) != "" {
		t.Errorf("Agent() = %v, difference (-want +got):\n%s", err, cmp.Diff(record, got))
	}
	pulses, err := s.Pulses(t.Context(), record.Key())
	if err != nil || cmp.Diff(pulse, pulses[record.Key()]) != "" {
		t.Errorf("Pulses() = %v, difference (-want +got):\n%s", err, cmp.Diff(pulse, pulses[record.Key()]))
	}
	request, _, err := s.Request(t.Context(), remembered.Key)
	if err != nil || cmp.Diff(remembered, request) != "" {
		t.Errorf("Request() = %v, difference (-want +got):\n%s", err, cmp.Diff(remembered, request))
	}
}

// filler gives every field that is stored a value of its own. Fields with the JSON name - are not stored.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(int64(f.n))
	case reflect.Uint8:
		v.SetUint(uint64(f.n % 256)) //nolint:gosec // it counts up
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprintf("any-%d", f.n)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]byte]() {
			v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("name"), value)
	case reflect.Struct:
		f.fillStruct(v)
	default:
		panic("storetest knows no values for " + v.Type().String())
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(epoch.Add(time.Duration(f.n)*time.Second + time.Duration(f.n))))
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") != "-" {
			f.fill(v.Field(i))
		}
	}
}
