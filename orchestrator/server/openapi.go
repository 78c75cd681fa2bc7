package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/proto"
)

// describe returns the handler of the OpenAPI document, which has the services that rules are for. quorate serve, for example, has no web-fetch agent.
func describe(rules auth.Rules) (http.Handler, error) {
	served := make(map[string]bool)
	for method := range rules {
		service, _, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
		served[service[strings.LastIndex(service, ".")+1:]] = true // the tags of the document are names without the package
	}
	document, err := only(served, proto.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(document); err != nil {
			return // the client has disconnected
		}
	}), nil
}

// only returns an OpenAPI document without the operations of services that are not served. Their messages stay.
func only(served map[string]bool, document []byte) ([]byte, error) {
	whole := make(map[string]json.RawMessage)
	var parts struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]json.RawMessage
	}
	if err := errors.Join(json.Unmarshal(document, &whole), json.Unmarshal(document, &parts)); err != nil {
		return nil, err
	}
	tags := make([]map[string]string, 0, len(parts.Tags))
	for _, tag := range parts.Tags {
		if served[tag.Name] {
			tags = append(tags, map[string]string{"name": tag.Name, "description": tag.Description})
		}
	}
	for path, operations := range parts.Paths {
		maps.DeleteFunc(operations, func(_ string, operation json.RawMessage) bool {
			var of struct{ Tags []string }
			return json.Unmarshal(operation, &of) != nil || !slices.ContainsFunc(of.Tags, func(tag string) bool { return served[tag] })
		})
		if len(operations) == 0 {
			delete(parts.Paths, path)
		}
	}
	var err, err2 error
	whole["tags"], err = json.Marshal(tags)
	whole["paths"], err2 = json.Marshal(parts.Paths)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return json.MarshalIndent(whole, "", "  ")
}
