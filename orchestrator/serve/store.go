package serve

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/quorate/quorate/platform/ddb"
)

// Store configures where data is kept.
type Store struct {
	Kind        string        `yaml:"kind" doc:"embedded: in a folder, for one process. dynamodb: for any number of replicas."`
	DataDir     string        `yaml:"dataDir" doc:"Folder of the embedded store; no other process may use it."`
	Region      string        `yaml:"region" doc:"AWS region of the tables; empty: from AWS's own configuration."`
	Endpoint    string        `yaml:"endpoint" doc:"URL of an emulator or a private endpoint; empty: from AWS's own configuration, which may select a FIPS endpoint (AWS_USE_FIPS_ENDPOINT)."`
	TablePrefix string        `yaml:"tablePrefix" doc:"Prefix of the names of all tables, such as prod-."`
	Lease       time.Duration `yaml:"lease" doc:"With kind: dynamodb, how long a silent replica keeps its tasks before others take them over, 3s to 1m; the same for all replicas."`
	PageKeyFile string        `yaml:"pageKeyFile" doc:"File with the 32 random bytes (or 64 hexadecimal digits) that sign page tokens, the same for all replicas; the embedded store makes its own when this is empty."`
}

// Kinds of stores.
const (
	KindEmbedded = "embedded"
	KindDynamoDB = "dynamodb"

	minLease     = 3 * time.Second
	maxLease     = time.Minute
	defaultLease = 10 * time.Second
)

// Validate refuses settings of the other kind of store, which would be ignored.
func (s *Store) Validate() error {
	switch {
	case s.Kind == KindEmbedded && s.DataDir == "":
		return invalid("dataDir", "the embedded store needs a folder")
	case s.Kind == KindEmbedded && s.Region+s.Endpoint+s.TablePrefix != "":
		return invalid("kind", "region, endpoint and tablePrefix are for kind: dynamodb")
	case s.Kind == KindEmbedded && s.Lease != defaultLease:
		return invalid("lease", "lease is for kind: dynamodb; nobody else takes tasks of an embedded store over")
	case s.Kind == KindDynamoDB && s.DataDir != "":
		return invalid("dataDir", "dataDir is for kind: embedded")
	case s.Kind == KindDynamoDB && s.PageKeyFile == "":
		return invalid("pageKeyFile", "replicas share the key of page tokens: make one with openssl rand -hex 32, and give every replica the same file")
	case s.Lease < minLease || s.Lease > maxLease:
		return invalid("lease", "%s is not from %s to %s", s.Lease, minLease, maxLease)
	case s.Kind == KindDynamoDB:
		return s.DynamoDB().Validate()
	case s.Kind != KindEmbedded:
		return invalid("kind", "%q is not embedded or dynamodb", s.Kind)
	}
	return nil
}

// DynamoDB says where the tables are.
func (s *Store) DynamoDB() ddb.Config {
	return ddb.Config{Region: s.Region, Endpoint: s.Endpoint, TablePrefix: s.TablePrefix}
}

// ofFolder returns an error of opening the embedded store as one of its setting if the folder is none, or the server may not write there.
func (s *Store) ofFolder(err error) error {
	if notWritable(err) {
		return invalid("store.dataDir", "%v; it has to be a folder that the server's user may write to", err)
	}
	return err
}

// notWritable reports whether err says that a folder is none, such as a link to what is not there, or that the server may not write there.
func notWritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist)
}
