import { type AppError, codedError } from '@sheaf/contract';
import { syncStatusBody } from '@sheaf/contract/sources';
import { getSource } from '@sheaf/sources';
import { cancelRun, findLastRun, requestRun } from '@sheaf/sources/runs';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toSyncStatusBody } from './source-body.ts';
import type { SourceServices } from './source-services.ts';
import { takeSource } from './take-source.ts';
import { requireWebdavIfMeant } from './webdav-feature.ts';

const sourceDisabled = (id: string): AppError => codedError('DUPLICATE_RESOURCE', 'SOURCE_DISABLED', { source_id: id });

const syncNotRunning = (id: string): AppError => codedError('DUPLICATE_RESOURCE', 'SYNC_NOT_RUNNING', { source_id: id });

export const sync = (services: SourceServices): Route =>
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

export const cancel = ({ database }: SourceServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/sources/{id}/sync/cancel',
    access: 'sources.sync',
    summary: 'Cancel the queued or running sync of the source',
    description: 'Imported documents remain. A running sync ends within a few seconds.',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND', SYNC_NOT_RUNNING: 'DUPLICATE_RESOURCE' },
    params: idParams,
    status: 200,
    response: z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'SyncCancelled' }),
    handle: async ({ params: { id }, principal }) => {
      const run = await database.db.transaction(async (tx) => cancelRun(tx, (await takeSource(tx, principal, 'sources.sync', id)).id));
      if (run === undefined) throw syncNotRunning(id);
      const isOver = run.state === 'cancelled';
      return { success: true as const, message: isOver ? 'The sync was cancelled' : 'The sync is being cancelled' };
    },
  });

export const status = ({ database: { db } }: SourceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/sources/{id}/sync-status',
    access: 'sources.read',
    summary: 'Get the progress of the running sync, or the result of the last one',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: syncStatusBody,
    handle: async ({ params, principal }) => {
      const { source } = await getSource(db, principal, params.id);
      return toSyncStatusBody(source.id, await findLastRun(db, source.id));
    },
  });
