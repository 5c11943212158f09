import { recordAudit } from '@sheaf/accounts/users';
import { type AppError, codedError } from '@sheaf/contract';
import {
  createSourceRequest,
  sourceBody,
  sourceListQuery,
  syncStatusBody,
  type UpdateSourceRequest,
  updateSourceRequest,
} from '@sheaf/contract/sources';
import type { Db } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import {
  createSource,
  deleteSource,
  firstSyncAt,
  forgetVersions,
  getSource,
  listSources,
  listSourcesAfter,
  nextSyncAtAfterChange,
  type SourceChanges,
  sealSourceSecret,
  updateSource,
} from '@sheaf/sources';
import { cancelRun, findLastRun, requestRun } from '@sheaf/sources/runs';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { rowListRoute } from '../http/list-route.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { draftSource, newSource, type SourceDraft, toSourceBody, toSyncStatusBody } from './source-body.ts';
import { health, requireLocalFolder, requireWebdavIfMeant, type SourceServices, takeSource, test } from './source-checks.ts';

export const sourceRoutes = (services: SourceServices): readonly Route[] =>
  behindFeature('FEATURE_SOURCES', services.config.sources.enabled, [
    list(services),
    create(services),
    test(services),
    read(services),
    ...update(services),
    remove(services),
    sync(services),
    status(services),
    cancel(services),
    health(services),
  ]);

const list = ({ cursors }: SourceServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/sources',
    access: 'sources.read',
    summary: 'List sources with the number of documents visible to the caller',
    query: sourceListQuery,
    name: 'sources',
    item: sourceBody,
    list: listSources,
    listAfter: listSourcesAfter,
    toBody: toSourceBody,
  });

const read = ({ database }: SourceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/sources/{id}',
    access: 'sources.read',
    summary: 'Get a source',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: sourceBody,
    handle: async ({ params, principal }) => toSourceBody(await getSource(database.db, principal, params.id)),
  });

const create = (services: SourceServices): Route =>
  createRoute({
    path: '/api/sources',
    access: 'sources.create',
    summary: 'Create a source; its first sync starts immediately',
    description:
      'Imported documents belong to the creator. `password` (for S3: the secret access key, with the access key ID as `username`) is encrypted and never returned. A `local_folder` reads a folder of the server, in `settings.path` or `url`: it must be inside LOCAL_SOURCE_ROOTS and requires `sources.update` for all sources.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    body: createSourceRequest,
    response: sourceBody,
    handle: async ({ body, principal, context }) => {
      const { config, database, clock } = services;
      requireWebdavIfMeant(body.type, services);
      await requireLocalFolder(body, config.sources.localRoots, principal);
      const { fields, secret } = newSource(body);
      const id = uuidv7();
      await database.db.transaction(async (tx) => {
        await createSource(tx, id, {
          ...fields,
          ownerId: principal.userId,
          type: body.type,
          sealedSecret: secret === undefined ? null : sealSourceSecret(secret, id, config.signIn.appSecretKey),
          nextSyncAt: firstSyncAt(fields, clock.now()),
        });
        await recordAudit(tx, {
          actor: principal,
          address: context.address,
          action: 'source.created',
          outcome: 'success',
          subject: { type: 'source', id },
          details: { name: fields.name, type: body.type },
        });
      });
      return toSourceBody(await getSource(database.db, principal, id, 'sources.create'));
    },
  });

const sourceDisabled = (id: string): AppError => codedError('DUPLICATE_RESOURCE', 'SOURCE_DISABLED', { source_id: id });

const syncNotRunning = (id: string): AppError => codedError('DUPLICATE_RESOURCE', 'SYNC_NOT_RUNNING', { source_id: id });

const sync = (services: SourceServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/sources/{id}/sync',
    access: 'sources.sync',
    summary: 'Start a sync of the source',
    description:
      'Returns the ID of the run. While a run is queued or running, returns 409 with the reason `sync_running` and its ID in `details.job_id`.',
    errors: {
      SOURCE_NOT_FOUND: 'NOT_FOUND',
      FEATURE_DISABLED: 'NOT_FOUND',
      SYNC_RUNNING: 'DUPLICATE_RESOURCE',
      SOURCE_DISABLED: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    status: 202,
    response: z.strictObject({ message: z.string(), job_id: z.uuid() }).meta({ id: 'SyncRequested' }),
    handle: async ({ params: { id }, principal }) => {
      const jobId = await services.database.db.transaction(async (tx) => {
        const source = await takeSource(tx, principal, 'sources.sync', id);
        requireWebdavIfMeant(source.type, services);
        if (!source.isEnabled) throw sourceDisabled(source.id);
        return requestRun(tx, source.id, principal.userId);
      });
      return { message: 'The sync was queued', job_id: jobId };
    },
  });

const cancel = ({ database }: SourceServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/sources/{id}/sync/cancel',
    access: 'sources.sync',
    summary: 'Cancel the queued or running sync of the source',
    description: 'Imported documents remain. A running sync ends within a few seconds.',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND', SYNC_NOT_RUNNING: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'SyncCancelled' }),
    handle: async ({ params: { id }, principal }) => {
      const run = await database.db.transaction(async (tx) => cancelRun(tx, (await takeSource(tx, principal, 'sources.sync', id)).id));
      if (run === undefined) throw syncNotRunning(id);
      const isOver = run.state === 'cancelled';
      return { success: true as const, message: isOver ? 'The sync was cancelled' : 'The sync is being cancelled' };
    },
  });

const status = ({ database: { db } }: SourceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/sources/{id}/sync-status',
    access: 'sources.read',
    summary: 'Get the progress of the running sync, or the result of the last one',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: syncStatusBody,
    handle: async ({ params, principal }) => {
      const { source } = await getSource(db, principal, params.id);
      return toSyncStatusBody(source.id, await findLastRun(db, source.id));
    },
  });

const sealedOf = ({ id, sealedSecret }: Source, { secret }: SourceDraft, { config }: SourceServices): string | null => {
  if (secret === 'kept') return sealedSecret;
  return secret === 'dropped' ? null : sealSourceSecret(secret.given, id, config.signIn.appSecretKey);
};

/** Another place or other credentials: what went wrong before says nothing any more, so it is tried at once. */
const isNewTry = ({ username }: Source, { fields, secret, isElsewhere }: SourceDraft): boolean =>
  isElsewhere || secret !== 'kept' || fields.username !== username;

const NO_FINDINGS = {
  failures: 0,
  lastError: null,
  lastErrorCode: null,
  isReachable: null,
  checkMessage: null,
  checkCode: null,
  checkedAt: null,
};

const changesOf = (source: Source, draft: SourceDraft, services: SourceServices): SourceChanges => {
  const isAnotherTry = isNewTry(source, draft);
  return {
    ...draft.fields,
    sealedSecret: sealedOf(source, draft, services),
    nextSyncAt: nextSyncAtAfterChange(source, draft.fields, { isNewTry: isAnotherTry, now: services.clock.now() }),
    ...(isAnotherTry ? NO_FINDINGS : {}),
  };
};

/** A run that goes on would mix what it saw there with what it sees here; a run of what is disabled ends. */
const endRuns = async (tx: Db, source: Source, { fields, isElsewhere }: SourceDraft): Promise<void> => {
  if (!fields.isEnabled) await cancelRun(tx, source.id);
  else if (isElsewhere) await cancelRun(tx, source.id, ['running']);
};

interface Change {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly id: string;
  readonly request: UpdateSourceRequest;
  readonly requireMatch: (tx: Db) => Promise<void>;
}

/** Looks at the disk where the folder of a local_folder source is to be another one. Outside of the change, which locks the row. */
const requireNewPlace = async ({ database, config }: SourceServices, { principal, id, request }: Change): Promise<void> => {
  if (request.settings === undefined && request.url === undefined) return;
  const source = await database.db.transaction((tx) => takeSource(tx, principal, 'sources.update', id));
  const { fields, isElsewhere } = draftSource(source, request);
  if (isElsewhere) await requireLocalFolder({ type: source.type, settings: fields.settings }, config.sources.localRoots, principal);
};

const changeSource = async (tx: Db, services: SourceServices, { principal, address, id, request, requireMatch }: Change): Promise<void> => {
  const source = await takeSource(tx, principal, 'sources.update', id);
  await requireMatch(tx);
  const draft = draftSource(source, request);
  await updateSource(tx, id, changesOf(source, draft, services));
  await endRuns(tx, source, draft);
  if (draft.hasOtherFiles) await forgetVersions(tx, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'source.updated',
    outcome: 'success',
    subject: { type: 'source', id },
    details: { name: draft.fields.name, type: source.type, fields: Object.keys(request).toSorted() },
  });
};

const update = (services: SourceServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/sources/{id}',
    access: 'sources.update',
    summary: 'Change, enable or disable a source',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. `settings` replaces all settings. If `url`, `settings.endpoint_url` or `settings.bucket` changes, `password` is required again, or null for none. Disabling a source cancels its running sync.',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: updateSourceRequest,
    response: sourceBody,
    present: async ({ params, principal }, db) => toSourceBody(await getSource(db, principal, params.id, 'sources.update')),
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const { id } = params;
      const change = { principal, address: context.address, id, request: body, requireMatch: context.requireMatch };
      await requireNewPlace(services, change);
      await db.transaction((tx) => changeSource(tx, services, change));
      return toSourceBody(await getSource(db, principal, id, 'sources.update'));
    },
  });

const remove = ({ database: { db } }: SourceServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/sources/{id}',
    access: 'sources.delete',
    summary: 'Delete a source; its documents remain and keep its ID',
    description: 'A running sync is cancelled.',
    done: 'Deleted',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await db.transaction(async (tx) => {
        const source = await takeSource(tx, principal, 'sources.delete', id);
        await deleteSource(tx, id);
        await recordAudit(tx, {
          actor: principal,
          address,
          action: 'source.deleted',
          outcome: 'success',
          subject: { type: 'source', id },
          details: { name: source.name, type: source.type, owner_id: source.ownerId },
        });
      });
    },
  });
