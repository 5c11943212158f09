import type { FixedConfig } from '@sheaf/config';
import { featureDisabled, rowId } from '@sheaf/contract';
import { type SourceHealthBody, sourceHealthBody } from '@sheaf/contract/sources';
import type { Database } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { englishMessage } from '@sheaf/messages/english';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import { getSource } from '@sheaf/sources';
import type { HealthStatus } from '@sheaf/vocabulary/health';
import type { SourceType } from '@sheaf/vocabulary/sources';
import { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';
import { jsonRoute, type Route } from '../http/route.ts';

/** How well a source works that is enabled. What was not tried yet is not ill. */
export const healthOfSource = ({ isReachable, failures }: Pick<Source, 'isReachable' | 'failures'>): HealthStatus => {
  if (isReachable === false) return 'unhealthy';
  return failures > 0 ? 'warning' : 'healthy';
};

const findingOf = (source: Source): Pick<SourceHealthBody, 'code' | 'message'> => {
  if (!source.isEnabled) return { code: 'switched_off', message: englishMessage('sources.switched_off') };
  if (source.isReachable === false)
    return { code: source.checkCode, message: source.checkMessage ?? englishMessage(`sources.${source.checkCode ?? 'unreachable'}`) };
  if (source.failures > 0)
    return { code: source.lastErrorCode, message: source.lastError ?? englishMessage(`sources.${source.lastErrorCode ?? 'failed'}`) };
  const code = source.isReachable === null ? 'not_checked' : 'reachable';
  return { code, message: englishMessage(`sources.${code}`) };
};

// Choice: names and messages tell much, so it takes a principal, as nearly everything does, and the right to read the source.
export const health = ({ database }: SourceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health/sources/{source_id}',
    access: 'sources.read',
    isProbe: true,
    summary: 'Get the health of a source',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: z.strictObject({ source_id: rowId }),
    response: sourceHealthBody,
    handle: async ({ params, principal }) => {
      const { source } = await getSource(database.db, principal, params.source_id);
      return {
        source_id: source.id,
        name: source.name,
        status: source.isEnabled ? healthOfSource(source) : 'healthy',
        ...findingOf(source),
        last_check: source.checkedAt?.toISOString() ?? null,
        last_sync: source.lastSyncAt?.toISOString() ?? null,
        next_sync: source.isEnabled ? (source.nextSyncAt?.toISOString() ?? null) : null,
        failures: source.failures,
      };
    },
  });

/** Throws FEATURE_DISABLED for a source of the type webdav while such ones are disabled. */
export const requireWebdavIfMeant = (type: SourceType, { config }: Pick<SourceServices, 'config'>): void => {
  if (type === 'webdav' && !config.sources.webdavEnabled) throw featureDisabled('FEATURE_WEBDAV');
};

/** What the routes of sources use. */
export interface SourceServices {
  readonly config: Pick<FixedConfig, 'signIn' | 'sources'>;
  readonly database: Database;
  /** Requests to elsewhere. */
  readonly fetch: GuardedFetch;
  /** The same without private networks: for what people who do not administer the service have asked for. */
  readonly publicFetch: GuardedFetch;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
