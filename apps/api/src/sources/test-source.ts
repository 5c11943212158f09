import { Secret } from '@sheaf/contract';
import { createSourceRequest, sourceTestBody, type TestSourceRequest, testSourceRequest } from '@sheaf/contract/sources';
import { readRoles } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import type { GuardedFetch } from '@sheaf/outbound';
import {
  fetchByTrust,
  isPlaceOfAdministrators,
  openSourceSecret,
  type SourceConnection,
  SourceError,
  type SourcePlace,
} from '@sheaf/sources';
import { type Principal, rolesForAll, scopeOf } from '@sheaf/vocabulary/permissions';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { requireLocalFolder } from './local-folder.ts';
import { newSource } from './new-source.ts';
import { draftSource, type SecretChange } from './source-draft.ts';
import type { SourceServices } from './source-services.ts';
import { takeSource } from './take-source.ts';
import { trySource } from './try-source.ts';
import { requireWebdavIfMeant } from './webdav-feature.ts';

interface Tried {
  readonly connection: SourceConnection;
  readonly secret: () => Secret | undefined;
}

const unreadable = (): SourceError =>
  new SourceError('refused', 'The stored password cannot be decrypted because APP_SECRET_KEY has changed. Enter the password again.');

const secretOf = ({ id, sealedSecret }: Source, change: SecretChange, { config }: SourceServices): Secret | undefined => {
  if (typeof change === 'object') return new Secret(change.given);
  if (change === 'dropped' || sealedSecret === null) return undefined;
  const secret = openSourceSecret(sealedSecret, id, config.signIn.appSecretKey);
  if (secret === undefined) throw unreadable();
  return secret;
};

/** With what is kept of it, so it takes the right to change it. */
const changedSource = async (id: string, request: TestSourceRequest, principal: Principal, services: SourceServices): Promise<Tried> => {
  const source = await services.database.db.transaction((tx) => takeSource(tx, principal, 'sources.update', id));
  const { fields, secret, isElsewhere } = draftSource(source, request);
  const connection = { type: source.type, ...fields };
  if (isElsewhere) await requireLocalFolder(connection, services.config.sources.localRoots, principal);
  return { connection, secret: () => secretOf(source, secret, services) };
};

const describedSource = async (request: TestSourceRequest, principal: Principal, services: SourceServices): Promise<Tried> => {
  const described = parseInput(createSourceRequest, { name: 'test', ...request }, 'body');
  await requireLocalFolder(described, services.config.sources.localRoots, principal);
  const { fields, secret } = newSource(described);
  return { connection: { type: described.type, ...fields }, secret: () => (secret === undefined ? undefined : new Secret(secret)) };
};

/** As the sync process chooses for a source of the caller's. */
const fetchFor = (
  place: SourcePlace,
  { permissions }: Principal,
  { config, database: { db }, fetch, publicFetch }: SourceServices,
): GuardedFetch =>
  fetchByTrust(fetch, publicFetch, async () => {
    if (scopeOf(permissions, 'sources.update') === 'all') return true;
    return isPlaceOfAdministrators(db, place, rolesForAll(await readRoles(db, config.signIn.roles), 'sources.update'));
  });

export const test = (services: SourceServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/sources/test',
    access: 'sources.create',
    summary: 'Test a source: connect and list some files',
    description:
      'Takes what makes a source, the name aside, or the `id` of one that is there with what is to be tried in place of what it has. A source that does not work is answered with 200 and `success: false`. It takes 20 seconds at most. Whoever may not update everybody’s sources reaches private networks only where OUTBOUND_ALLOWED_NETWORKS or a source of an administrator has them: all else there is answered alike, and nothing is sent.',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    body: testSourceRequest,
    status: 200,
    response: sourceTestBody,
    handle: async ({ body: { id, ...request }, principal, context: { signal } }) => {
      const tried =
        id === undefined ? await describedSource(request, principal, services) : await changedSource(id, request, principal, services);
      requireWebdavIfMeant(tried.connection.type, services);
      const fetch = fetchFor(tried.connection, principal, services);
      return trySource(tried.connection, tried.secret, { fetch, localRoots: services.config.sources.localRoots, signal });
    },
  });
