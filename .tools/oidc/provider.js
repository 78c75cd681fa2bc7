#!/usr/bin/env node
// An OpenID Connect provider for tests: provider.js ISSUER KEY.pem... signs with the first key and publishes all. Their names are those of the files.
//
// A client asks for the tokens of a resource: https://quorate.example has JWTs for the audience quorate, and the others under it are all that must not
// count. The roles and the tenant are in what the client `batch` and the user `ana` may put nowhere themselves.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import Provider from 'oidc-provider';

const [issuer, ...files] = process.argv.slice(2);
const keys = files.map((file) => ({
  ...createPrivateKey(readFileSync(file)).export({ format: 'jwk' }), kid: basename(file, '.pem'), alg: 'RS256', use: 'sig',
}));

const jwt = { accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } }, scope: 'work' };
const resources = {
  'https://quorate.example': { ...jwt, audience: 'quorate' },
  'https://quorate.example/brief': { ...jwt, audience: 'quorate', accessTokenTTL: 1 },
  'https://quorate.example/opaque': { ...jwt, audience: 'quorate', accessTokenFormat: 'opaque' },
  'https://quorate.example/other': { ...jwt, audience: 'other' },
};
const rights = {
  batch: { roles: ['dispatcher', 'viewer'], org: 'acme' },
  ana: { roles: 'admin openid', org: 'umbrella' },
};

const provider = new Provider(issuer, {
  jwks: { keys },
  cookies: { keys: ['for tests'] },
  clients: [
    { client_id: 'batch', client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    { client_id: 'nobody', client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    {
      client_id: 'cli', token_endpoint_auth_method: 'none', application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code'], response_types: ['code'],
    },
  ],
  claims: { openid: ['sub', 'roles', 'org'] },
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...rights[id] }) }),
  extraTokenClaims: (ctx, token) => rights[token.accountId ?? token.clientId],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true }, // its own pages, on which anybody may log in as anybody
    resourceIndicators: { enabled: true, getResourceServerInfo: (ctx, resource) => resources[resource], useGrantedResource: () => true },
  },
});
const { hostname, port } = new URL(issuer);
provider.listen(Number(port), hostname);
