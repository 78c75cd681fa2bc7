// Package proto holds Quorate's contracts: the .proto files, the Go code generated from them under gen, and the OpenAPI document.
package proto

import _ "embed"

// OpenAPI is the OpenAPI 2.0 document of the REST API, generated from the .proto files.
//
//go:embed gen/openapi/quorate.swagger.json
var OpenAPI []byte
