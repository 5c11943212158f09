import { recordAudit } from '@sheaf/accounts/users';
import { sourceBody, type UpdateSourceRequest, updateSourceRequest } from '@sheaf/contract/sources';
import type { Db } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import {
  deleteSource,
  forgetVersions,
  getSource,
  nextSyncAtAfterChange,
  type SourceChanges,
  sealSourceSecret,
  updateSource,
} from '@sheaf/sources';
import { cancelRun } from '@sheaf/sources/runs';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { requireLocalFolder } from './local-folder.ts';
import { toSourceBody } from './source-body.ts';
import { draftSource, type SourceDraft } from './source-draft.ts';
import type { SourceServices } from './source-services.ts';
import { takeSource } from './take-source.ts';

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

/** A run that goes on would mix what it saw there with what it sees here; a run of what is switched off ends. */
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

const updateBy = (method: 'put' | 'patch', services: SourceServices): Route =>
  jsonRoute({
    method,
    path: '/api/sources/{id}',
    access: 'sources.update',
    summary: 'Change, enable or disable a source',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. `settings` replaces all settings. If `url`, `settings.endpoint_url` or `settings.bucket` changes, `password` is required again, or null for none. Disabling a source cancels its running sync.',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: updateSourceRequest,
    status: 200,
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

export const put = (services: SourceServices): Route => updateBy('put', services);
export const patch = (services: SourceServices): Route => updateBy('patch', services);

export const remove = ({ database: { db } }: SourceServices): Route =>
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
