package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

// SignatureCheck returns nil when signature, a detached JWS in compact form, is a valid signature of payload.
type SignatureCheck func(payload []byte, signature string) error

// Signatures returns a check for what an agent signs besides its card. It accepts only keys that are pinned for this agent alone: with a key of
// several agents, one of them could sign for another.
func (r *Registry) Signatures(ctx context.Context, agent Key) (SignatureCheck, error) {
	var keys []jws.Key
	if r.keys != nil {
		pinned, err := r.keys.SigningKeys(ctx, agent.Tenant)
		if err != nil {
			return nil, err
		}
		for _, key := range pinned {
			shared := func(k SigningKey) bool {
				return k.Thumbprint == key.Thumbprint && !slices.Equal(k.Agents, []string{agent.Name})
			}
			if slices.ContainsFunc(pinned, shared) { // the key is pinned for others too, maybe under another id
				continue
			}
			parsed, err := jws.ParseKey(key.JWK)
			if err != nil {
				return nil, fmt.Errorf("the pinned key %q: %w", fault.Clip(key.ID), err)
			}
			keys = append(keys, parsed)
		}
	}
	return func(payload []byte, signature string) error {
		if result := jws.VerifyDetached(signature, payload, keys); result.State != jws.Verified {
			return errors.New(result.Reason)
		}
		return nil
	}, nil
}
