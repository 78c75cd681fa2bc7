package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	consultationdynamo "github.com/quorate/quorate/consultation/dynamo"
	taskdynamo "github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/platform/tables"
	registrydynamo "github.com/quorate/quorate/registry/dynamo"
)

// DynamoDB configures the stores of replicas.
type DynamoDB struct {
	ddb.Config
	PageKey   []byte        // the same at all replicas
	Lease     time.Duration // how long a silent replica keeps its tasks; 0: the default of lease.Config
	Retention Retention
}

// Tables returns the tables of all stores, including that of web-fetch agents.
func Tables() []ddb.Table { return append(ownTables(), tables.AllowedDomains()) }

// ownTables returns the tables that a replica itself reads and writes.
func ownTables() []ddb.Table {
	return slices.Concat(registrydynamo.Tables(), taskdynamo.Tables(), consultationdynamo.Tables())
}

// ReachTables returns a client for DynamoDB, which has all tables of a replica with their keys and indexes.
func ReachTables(ctx context.Context, c ddb.Config) (*ddb.Client, error) {
	db, err := ddb.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := db.Check(ctx, ownTables()); err != nil {
		return nil, fmt.Errorf("looking for the tables: %w", err)
	}
	return db, nil
}

// OpenDynamoDB opens the stores of one of any number of replicas. The tables must exist, with their keys and indexes.
func OpenDynamoDB(ctx context.Context, o DynamoDB) (*Stores, error) {
	db, err := ReachTables(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	// Leases have connections and a budget of retries of their own: however many calls for tasks wait for a slow store or are throttled, a replica keeps its
	// work. Otherwise it loses its leases, begins all of its tasks anew, and has even more calls wait.
	apart, err := ddb.Open(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	leases := taskdynamo.NewLeases(apart)
	return &Stores{
		Registry: registrydynamo.New(db),
		Tasks:    taskdynamo.New(db, taskdynamo.Options{Keep: o.Retention.Tasks, Now: db.Now}),
		Leases:   leases, LeaseDuration: o.Lease,
		Consultations: consultationdynamo.New(db, consultationdynamo.Options{Keep: o.Retention.Evidence, Now: db.Now}),
		Pages:         page.New(o.PageKey),
		Now:           db.Now,
		Ready: map[string]func(context.Context) error{"store": func(ctx context.Context) error {
			_, err := leases.Nodes(ctx)
			return err
		}},
	}, nil
}
