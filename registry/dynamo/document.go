package dynamo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/registry/agentcard"
)

// document stores a value of the domain as attributes with its JSON names.
type document[T any] struct{ value T }

// Attributes for values that DynamoDB cannot hold directly.
const (
	asNumber = "%number" // a number out of range, as text
	asJSON   = "%json"   // a value that is nested too deeply or has a forbidden name, as JSON
)

const (
	maxNesting = 20 // DynamoDB's limit is 32, including what is around a document
	maxDigits  = 38
	largest    = 1e125
	smallest   = 1e-129
)

// MarshalDynamoDBAttributeValue returns the value as an attribute. null becomes an empty list, since no other document in the data model is empty.
func (d document[T]) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d.value); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(&b)
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	if tree == nil {
		return &types.AttributeValueMemberL{}, nil
	}
	if name := truthOf(d.value); name != "" {
		addFalse(tree, name)
	}
	return encodeTree(tree, 0)
}

// truthOf returns the name of the truth value that each element of a list of the data model has, or "" if value is no such list.
func truthOf(value any) string {
	switch value.(type) {
	case []agentcard.InputSchema:
		return "required"
	case []agentcard.OutputSchema:
		return "guaranteed"
	case []agentcard.ConsultationRequirement:
		return "mandatory"
	}
	return ""
}

// addFalse adds the truth value to elements that JSON leaves it out of because it is false, since other readers of the table expect it.
func addFalse(tree any, name string) {
	list, _ := tree.([]any)
	for _, element := range list {
		if m, ok := element.(map[string]any); ok && m[name] == nil {
			m[name] = false
		}
	}
}

// UnmarshalDynamoDBAttributeValue reads the value.
func (d *document[T]) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	if list, ok := av.(*types.AttributeValueMemberL); ok && len(list.Value) == 0 {
		return nil
	}
	tree, err := decodeTree(av)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, &d.value)
}

func encodeTree(tree any, depth int) (types.AttributeValue, error) {
	switch v := tree.(type) {
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case string:
		return &types.AttributeValueMemberS{Value: v}, nil
	case json.Number:
		return encodeNumber(v), nil
	case []any:
		if depth == maxNesting {
			return encodeJSON(v)
		}
		list := make([]types.AttributeValue, len(v))
		for i, e := range v {
			var err error
			if list[i], err = encodeTree(e, depth+1); err != nil {
				return nil, err
			}
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case map[string]any:
		if depth == maxNesting || !namesFit(v) {
			return encodeJSON(v)
		}
		m := make(map[string]types.AttributeValue, len(v))
		for name, e := range v {
			var err error
			if m[name], err = encodeTree(e, depth+1); err != nil {
				return nil, err
			}
		}
		return &types.AttributeValueMemberM{Value: m}, nil
	}
	return nil, fmt.Errorf("a %T is not from JSON", tree)
}

func namesFit(m map[string]any) bool {
	for name := range m {
		if name == "" || name[0] == '%' {
			return false
		}
	}
	return true
}

func encodeNumber(n json.Number) types.AttributeValue {
	f, err := n.Float64()
	size := math.Abs(f)
	if err != nil || f != 0 && (size < smallest || size > largest) || digits(n.String()) > maxDigits {
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{asNumber: &types.AttributeValueMemberS{Value: n.String()}}}
	}
	return &types.AttributeValueMemberN{Value: n.String()}
}

func digits(number string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "-0"))
}

func encodeJSON(tree any) (types.AttributeValue, error) {
	encoded, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{asJSON: &types.AttributeValueMemberS{Value: string(encoded)}}}, nil
}

func decodeTree(av types.AttributeValue) (any, error) {
	switch v := av.(type) {
	case *types.AttributeValueMemberNULL:
		return nil, nil
	case *types.AttributeValueMemberBOOL:
		return v.Value, nil
	case *types.AttributeValueMemberS:
		return v.Value, nil
	case *types.AttributeValueMemberN:
		if _, err := strconv.ParseFloat(v.Value, 64); err != nil {
			return nil, err
		}
		return json.Number(v.Value), nil
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			var err error
			if list[i], err = decodeTree(e); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *types.AttributeValueMemberM:
		return decodeMap(v.Value)
	}
	return nil, errors.New("an attribute has a type that Quorate does not write")
}

func decodeMap(m map[string]types.AttributeValue) (any, error) {
	if s, ok := m[asNumber].(*types.AttributeValueMemberS); ok {
		return json.Number(s.Value), nil
	}
	if s, ok := m[asJSON].(*types.AttributeValueMemberS); ok {
		return json.RawMessage(s.Value), nil
	}
	tree := make(map[string]any, len(m))
	for name, e := range m {
		var err error
		if tree[name], err = decodeTree(e); err != nil {
			return nil, err
		}
	}
	return tree, nil
}
