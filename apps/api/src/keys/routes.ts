import type { Config } from '@sheaf/config';
import { createdKeyBody, createKeyRequest, type KeyBody, keyBody, pageQuery } from '@sheaf/contract';
import { type ApiKey, listApiKeys, listApiKeysAfter } from '@sheaf/db';
import { behindFeature } from '../http/feature.ts';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';

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

const create = jsonRoute({
  method: 'post',
  path: '/api/keys',
  access: 'keys.create',
  summary: 'Make an API key for yourself; the key is shown this once',
  description:
    'Send it in the header that API_KEY_HEADER names (X-API-Key). It expires after API_KEY_EXPIRY_DAYS. It may do what its scope says as far as its owner may do it at that moment, and can never make keys. `*` does not include `users.create` and `users.update`: a key that manages users names them, or `users.*`.',
  errors: { FEATURE_DISABLED: 'NOT_FOUND' },
  body: createKeyRequest,
  status: 201,
  response: createdKeyBody,
  handle: async ({ body, principal, facts }, { identity }) => {
    const { row, key } = await identity.keys.create(principal, body, facts.address);
    return { ...toFields(row), key };
  },
});

const list = listRoute({
  path: '/api/keys',
  access: 'keys.read',
  summary: 'The API keys that were not revoked, the newest first',
  errors: { FEATURE_DISABLED: 'NOT_FOUND' },
  query: pageQuery,
  name: 'data',
  item: keyBody,
  page: async ({ query: { page, per_page: perPage }, principal }, { database }) => {
    const { rows, total } = await listApiKeys(database.db, principal, { page, perPage });
    return { rows: rows.map(toKeyBody), total };
  },
  cut: async ({ principal }, part, { database }) => {
    const { rows, next } = await listApiKeysAfter(database.db, principal, part);
    return { rows: rows.map(toKeyBody), next };
  },
});

const revoke = streamRoute({
  method: 'delete',
  path: '/api/keys/{id}',
  access: 'keys.delete',
  summary: 'Revoke an API key; it stops working at once',
  content: { answers: [{ status: 204, description: 'It works no more' }] },
  errors: { KEY_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
  params: idParams,
  stream: async ({ params, principal, facts }, { identity }, { response }) => {
    await identity.keys.revoke(principal, params.id, facts.address);
    response.status(204).end();
  },
});

export const keyRoutes = ({ apiKeys }: Pick<Config, 'apiKeys'>): readonly Route[] =>
  behindFeature('API_KEY_ENABLED', apiKeys.enabled, [create, list, revoke]);
