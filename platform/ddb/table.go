package ddb

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table describes a table. Every table is billed on demand, has point-in-time recovery and is protected against deletion.
type Table struct {
	Name    string    // without the prefix
	Hash    Attribute // partition key
	Range   Attribute // sort key; the zero Attribute is none
	Indexes []Index
	TTL     string // attribute with the time, in seconds since 1970, after which an item may be deleted; empty is none
}

// Attribute is an attribute that is part of a key.
type Attribute struct {
	Name string
	Type types.ScalarAttributeType
}

// Text returns an attribute that holds a string.
func Text(name string) Attribute { return Attribute{name, types.ScalarAttributeTypeS} }

// Bytes returns an attribute that holds binary data, which sorts byte by byte.
func Bytes(name string) Attribute { return Attribute{name, types.ScalarAttributeTypeB} }

// Number returns an attribute that holds a number.
func Number(name string) Attribute { return Attribute{name, types.ScalarAttributeTypeN} }

// Index describes a global secondary index. It contains only items that have its keys.
type Index struct {
	Name    string
	Hash    Attribute
	Range   Attribute
	Include []string // attributes that it contains besides keys
}

// create returns the request that creates the table under its full name.
func (t Table) create(name *string) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName: name, KeySchema: keySchema(t.Hash, t.Range), BillingMode: types.BillingModePayPerRequest,
		DeletionProtectionEnabled: aws.Bool(true), AttributeDefinitions: t.definitions(),
	}
	for _, i := range t.Indexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.Hash, i.Range), Projection: i.projection(),
		})
	}
	return input
}

// definitions returns the key attributes of the table and its indexes, each once.
func (t Table) definitions() []types.AttributeDefinition {
	all := []Attribute{t.Hash, t.Range}
	for _, i := range t.Indexes {
		all = append(all, i.Hash, i.Range)
	}
	var definitions []types.AttributeDefinition
	for i, a := range all {
		if a.Name != "" && !slices.Contains(all[:i], a) {
			definitions = append(definitions, types.AttributeDefinition{AttributeName: aws.String(a.Name), AttributeType: a.Type})
		}
	}
	return definitions
}

func keySchema(hash, sort Attribute) []types.KeySchemaElement {
	schema := []types.KeySchemaElement{{AttributeName: aws.String(hash.Name), KeyType: types.KeyTypeHash}}
	if sort.Name != "" {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(sort.Name), KeyType: types.KeyTypeRange})
	}
	return schema
}

func (i Index) projection() *types.Projection {
	if len(i.Include) == 0 {
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: i.Include}
}

// lacks returns an attribute of the index that the projection does not contain, or "" if there is none.
func (i Index) lacks(p *types.Projection) string {
	if p == nil || p.ProjectionType == types.ProjectionTypeAll {
		return ""
	}
	for _, name := range i.Include {
		if !slices.Contains(p.NonKeyAttributes, name) {
			return name
		}
	}
	return ""
}

// sameKeys reports whether a table, or an index of it, has the given keys.
func sameKeys(of *types.TableDescription, got []types.KeySchemaElement, hash, sort Attribute) bool {
	for _, a := range of.AttributeDefinitions {
		if name := aws.ToString(a.AttributeName); name == hash.Name && a.AttributeType != hash.Type || name == sort.Name && a.AttributeType != sort.Type {
			return false
		}
	}
	return slices.EqualFunc(got, keySchema(hash, sort), func(a, b types.KeySchemaElement) bool {
		return aws.ToString(a.AttributeName) == aws.ToString(b.AttributeName) && a.KeyType == b.KeyType
	})
}
