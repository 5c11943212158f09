import { type Identity, listApiKeys, listApiKeysAfter } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { createdKeyBody, createKeyRequest, type KeyBody, keyBody, keyListQuery } from '@sheaf/contract/identity';
import type { Database } from '@sheaf/db';
import type { ApiKey } from '@sheaf/db/schema';
import { type Cursors, rowListRoute } from '../http/list-route.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, emptyRoute, type Route } from '../http/route.ts';

interface KeyServices {
  readonly config: Pick<FixedConfig, 'apiKeys'>;
  readonly database: Database;
  readonly identity: Pick<Identity, 'keys'>;
  readonly cursors: Cursors;
}

const toFields = (row: ApiKey) => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  prefix: row.prefix,
  expires_at: row.expiresAt.toISOString(),
  created_at: row.createdAt.toISOString(),
});

const toKeyBody = ({ key, username }: { readonly key: ApiKey; readonly username: string }): KeyBody => ({
  ...toFields(key),
  owner: username,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});

const create = ({ identity }: KeyServices): Route =>
  createRoute({
    path: '/api/keys',
    access: 'keys.create',
    summary: 'Create an API key; the key is returned only once',
    description:
      'Send it in the header API_KEY_HEADER (X-API-Key). It expires after API_KEY_EXPIRY_DAYS. Its permissions are the intersection of its scope and the current permissions of its owner; it cannot create API keys. `*` excludes `documents.share`, `users.create` and `users.update`, which must be listed explicitly or as `documents.*` and `users.*`.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    body: createKeyRequest,
    response: createdKeyBody,
    handle: async ({ body, principal, context }) => {
      const { row, key } = await identity.keys.create(principal, body, context.address);
      return { ...toFields(row), key };
    },
  });

const list = ({ cursors }: KeyServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/keys',
    access: 'keys.read',
    summary: 'List API keys that are not revoked, newest first',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    query: keyListQuery,
    name: 'data',
    item: keyBody,
    list: listApiKeys,
    listAfter: listApiKeysAfter,
    toBody: toKeyBody,
  });

const revoke = ({ identity }: KeyServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/keys/{id}',
    access: 'keys.delete',
    summary: 'Revoke an API key',
    done: 'The API key was revoked',
    errors: { KEY_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params, principal, context }) => {
      await identity.keys.revoke(principal, params.id, context.address);
    },
  });

export const keyRoutes = (services: KeyServices): readonly Route[] =>
  behindFeature('API_KEY_ENABLED', services.config.apiKeys.enabled, [create(services), list(services), revoke(services)]);
