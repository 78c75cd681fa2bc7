// Package dynamotest gives tests a DynamoDB: the one at QUORATE_TEST_DYNAMODB_ENDPOINT, or else the emulator dynoxide, started once
// for each test binary on a free port of the loopback interface. Without either, a test is skipped, or fails with QUORATE_CI.
//
// No emulator throttles, makes transactions conflict, loses responses, leaves batches unfinished or returns outdated pages of an index; Chaos does.
package dynamotest

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/proctest"
)

// Environment variables.
const (
	envEndpoint = "QUORATE_TEST_DYNAMODB_ENDPOINT"
	envBinary   = "QUORATE_TEST_DYNOXIDE"
	envCI       = "QUORATE_CI"
)

// Main runs the tests of a package, and then stops the emulator if it was started. Call it from TestMain, and exit with the
// code that it returns.
func Main(m *testing.M) int {
	defer shared.stop()
	return m.Run()
}

// Prefix returns a new, unique table prefix.
func Prefix() string { return "test-" + strings.ToLower(rand.Text()[:12]) + "-" }

// Open returns a client with a table prefix of its own. With a nil transport it uses the default one. Tests get the items of a batch of reads in another
// order than they asked for, and find nothing in a table that they read without asking for consistency.
func Open(tb testing.TB, over http.RoundTripper) *ddb.Client {
	tb.Helper()
	endpoint := Endpoint(tb)
	prefix := Prefix()
	if _, measured := tb.(*testing.B); !measured {
		if over == nil {
			over = transport
		}
		over = eventual{unordered{over}}
	}
	c, err := ddb.Open(tb.Context(), ddb.Config{Endpoint: endpoint, TablePrefix: prefix, Transport: over})
	if err != nil {
		tb.Fatalf("Open(%s) = %v, want no error", endpoint, err)
	}
	if config.Env(envEndpoint) != "" { // this DynamoDB outlives the test
		tb.Cleanup(func() { drop(tb, endpoint, prefix) })
	}
	return c
}

// Endpoint returns the URL of the DynamoDB for tests, or skips the test if there is none.
func Endpoint(tb testing.TB) string {
	tb.Helper()
	if endpoint := config.Env(envEndpoint); endpoint != "" {
		return endpoint
	}
	binary, err := proctest.Binary("dynoxide", envBinary)
	if err != nil {
		if config.Env(envCI) != "" {
			tb.Fatalf("no DynamoDB to test with: %v", err)
		}
		tb.Skipf("no DynamoDB to test with: %v", err)
	}
	endpoint, err := shared.start(binary)
	if err != nil {
		tb.Fatalf("starting %s = %v, want no error", binary, err)
	}
	return endpoint
}

// drop deletes the tables of a test.
func drop(tb testing.TB, endpoint, prefix string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), time.Minute)
	defer cancel()
	c, err := ddb.Open(ctx, ddb.Config{Endpoint: endpoint})
	if err != nil {
		tb.Errorf("Open(%s) = %v, want no error", endpoint, err)
		return
	}
	pages := dynamodb.NewListTablesPaginator(c.API(), &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			tb.Errorf("ListTables() = %v, want no error", err)
			return
		}
		for _, name := range page.TableNames {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			_, err := c.API().UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)})
			if err == nil {
				_, err = c.API().DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
			}
			if err != nil {
				tb.Errorf("deleting table %s = %v, want no error", name, err)
			}
		}
	}
}
