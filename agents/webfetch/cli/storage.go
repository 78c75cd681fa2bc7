package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/allowlist/dynamo"
	"github.com/quorate/quorate/agents/webfetch/allowlist/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// storage says where the list of domains is stored.
type storage struct {
	kind    string // folder or dynamodb; empty is folder
	dataDir string // empty keeps it in memory
	tables  ddb.Config
}

func (s *storage) flags(flags *pflag.FlagSet) {
	flags.StringVar(&s.kind, "store", "", "where the list of domains is kept: folder (that of --data-dir) or dynamodb (env WEBFETCH_STORE)")
	flags.StringVar(&s.dataDir, "data-dir", "", "folder that the list of domains is kept in; empty keeps it in memory (env WEBFETCH_DATA_DIR)")
	flags.StringVar(&s.tables.TablePrefix, "table-prefix", "", "what the name of the table AllowedDomains begins with, such as prod- (env WEBFETCH_TABLE_PREFIX)")
	flags.StringVar(&s.tables.Region, "region", "", "AWS region of the table; default: that of the AWS configuration")
	flags.StringVar(&s.tables.Endpoint, "dynamodb-endpoint", "", "base URL of an emulator or a private endpoint of DynamoDB")
}

func (s *storage) environment() {
	s.kind = cmp.Or(s.kind, config.Env("WEBFETCH_STORE"))
	s.dataDir = cmp.Or(s.dataDir, config.Env("WEBFETCH_DATA_DIR"))
	s.tables.TablePrefix = cmp.Or(s.tables.TablePrefix, config.Env("WEBFETCH_TABLE_PREFIX"))
}

// check refuses settings of the other kind of store, which would be ignored.
func (s *storage) check() error {
	refuse := func(flag, kind string) error {
		return fault.Invalid(flag, "CONFIG_INVALID", "--%s is for --store %s", flag, kind)
	}
	folder := s.kind == "" || s.kind == "folder"
	switch {
	case !folder && s.kind != "dynamodb":
		return fault.Invalid("store", "CONFIG_INVALID", "%q is not folder or dynamodb", s.kind)
	case !folder && s.dataDir != "":
		return refuse("data-dir", "folder")
	case folder && s.tables.TablePrefix != "":
		return refuse("table-prefix", "dynamodb")
	case folder && s.tables.Region != "":
		return refuse("region", "dynamodb")
	case folder && s.tables.Endpoint != "":
		return refuse("dynamodb-endpoint", "dynamodb")
	}
	return nil
}

// kept reports whether the list outlives the process.
func (s *storage) kept() bool { return s.kind == "dynamodb" || s.dataDir != "" }

// open returns the list, or nil when it is kept in memory. m closes what it opens.
func (s *storage) open(ctx context.Context, m *made) (*allowlist.List, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch {
	case s.kind == "dynamodb":
		db, err := ddb.Open(ctx, s.tables)
		if err != nil {
			return nil, err
		}
		if err := db.Check(ctx, dynamo.Tables()); err != nil {
			return nil, fmt.Errorf("open the list of domains: %w", err)
		}
		return allowlist.New(dynamo.New(db))
	case s.dataDir == "":
		return nil, nil
	}
	var err error
	if m.db, err = boltdb.Open(filepath.Join(s.dataDir, "webfetch.db"), boltdb.Options{}); err != nil {
		return nil, err
	}
	store, err := embedded.New(ctx, m.db)
	if err != nil {
		return nil, fmt.Errorf("open the list of domains: %w", err)
	}
	return allowlist.New(store)
}
