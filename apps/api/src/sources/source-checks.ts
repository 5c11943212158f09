import type { FixedConfig } from '@sheaf/config';
import { type AppError, featureDisabled, invalidInput, makeIssue, reasonedError, rowId, Secret } from '@sheaf/contract';
import {
  createSourceRequest,
  type SourceHealthBody,
  type SourceSettings,
  type SourceTestBody,
  sourceHealthBody,
  sourceTestBody,
  type TestSourceRequest,
  testSourceRequest,
} from '@sheaf/contract/sources';
import { type Database, type Db, readRoles } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { englishMessage } from '@sheaf/messages/english';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import {
  fetchByTrust,
  getSource,
  isPlaceOfAdministrators,
  lockSource,
  makeDriver,
  openSourceSecret,
  type SourceConnection,
  type SourceDriver,
  SourceError,
  type SourcePlace,
  toDriverSettings,
} from '@sheaf/sources';
import { findInRoots } from '@sheaf/storage/folders';
import type { HealthStatus } from '@sheaf/vocabulary/health';
import { type Principal, rolesForAll, scopeOf } from '@sheaf/vocabulary/permissions';
import type { SourceType } from '@sheaf/vocabulary/sources';
import { z } from 'zod';
import type { Cursors } from '../http/list-route.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { draftSource, newSource, type SecretChange } from './source-body.ts';

/** How well a source works that is enabled. What was not tried yet is not ill. */
export const healthOfSource = ({ isReachable, failures }: Pick<Source, 'isReachable' | 'failures'>): HealthStatus => {
  if (isReachable === false) return 'unhealthy';
  return failures > 0 ? 'warning' : 'healthy';
};

const healthFinding = (source: Source): Pick<SourceHealthBody, 'code' | 'message'> => {
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
        ...healthFinding(source),
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
    response: sourceTestBody,
    handle: async ({ body: { id, ...request }, principal, context: { signal } }) => {
      const tried =
        id === undefined ? await describedSource(request, principal, services) : await changedSource(id, request, principal, services);
      requireWebdavIfMeant(tried.connection.type, services);
      const fetch = fetchFor(tried.connection, principal, services);
      return trySource(tried.connection, tried.secret, { fetch, localRoots: services.config.sources.localRoots, signal });
    },
  });

interface TestLimits {
  readonly totalMs: number;
  /** Of those, for a look at what is there: a source that answers is a good one, however slowly it lists its files. */
  readonly sampleMs: number;
}

const LIMITS: TestLimits = { totalMs: 20_000, sampleMs: 5_000 };
const SAMPLE_FILES = 5;

interface Request {
  readonly fetch: GuardedFetch;
  readonly localRoots: readonly string[];
  readonly signal: AbortSignal;
}

/** Paths of some files, or undefined where listing takes too long. */
const sampleOf = async (driver: SourceDriver, signal: AbortSignal, limitMs: number): Promise<string[] | undefined> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    for await (const { files } of driver.list(limited)) return files.slice(0, SAMPLE_FILES).map(({ path }) => path);
    return [];
  } catch (error) {
    if (limited.aborted && !signal.aborted) return undefined;
    throw error;
  }
};

type TestFinding = Pick<SourceTestBody, 'code' | 'message'>;

const findingOf = (sample: readonly string[] | undefined): TestFinding => {
  const code = sample === undefined ? 'slow_listing' : sample.length === 0 ? 'no_files' : 'answers';
  return { code, message: englishMessage(`sources.${code}`) };
};

const look = async (
  driver: SourceDriver,
  signal: AbortSignal,
  { sampleMs }: TestLimits,
): Promise<TestFinding & Pick<SourceTestBody, 'success' | 'sample'>> => {
  await driver.check(signal);
  const sample = await sampleOf(driver, signal, sampleMs);
  return { success: true, ...findingOf(sample), ...(sample === undefined ? {} : { sample }) };
};

const whyNot = (error: unknown, signal: AbortSignal, { totalMs }: TestLimits): TestFinding => {
  if (error instanceof SourceError) return { code: error.code, message: error.message };
  if (signal.aborted) return { code: 'timeout', message: `The source did not respond within ${totalMs / 1_000} s.` };
  throw error;
};

/**
 * Reaches the source and looks at a few of its files, for no longer than 20 seconds. That it does not work is an answer, also that
 * `secret` throws a SourceError.
 */
export const trySource = async (
  source: SourceConnection,
  secret: () => Secret | undefined,
  { fetch, localRoots, signal }: Request,
  limits: TestLimits = LIMITS,
): Promise<SourceTestBody> => {
  const startedMs = performance.now();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)]);
  const attempt = async () => {
    const driver = makeDriver(toDriverSettings(source, secret(), localRoots), { fetch });
    try {
      return await look(driver, limited, limits);
    } finally {
      await driver.close();
    }
  };
  const outcome = await attempt().catch((error: unknown) => ({ success: false, ...whyNot(error, limited, limits) }));
  return { ...outcome, duration_ms: Math.round(performance.now() - startedMs) };
};

/**
 * The source, locked until the end of the transaction. Throws SOURCE_NOT_FOUND where the caller may not know of it, and FORBIDDEN
 * where they may and not do this to it.
 */
export const takeSource = async (
  tx: Db,
  principal: Principal,
  action: 'sources.update' | 'sources.delete' | 'sources.sync',
  id: string,
): Promise<Source> => {
  const { source, isAllowed } = await lockSource(tx, principal, action, id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  return source;
};

const pathError = (code: 'outside_roots' | 'no_roots'): AppError => {
  const issue = makeIssue('settings.path', code);
  return invalidInput('body', [issue]);
};

/** Whatever is wrong with it: what is outside is not told from what is not there. */
const isInside = async (path: string, roots: readonly string[]): Promise<boolean> => {
  try {
    return (await findInRoots(path, roots)).kind === 'inside';
  } catch {
    return false; // not to be entered, a circle of links: no folder for us in any case
  }
};

/**
 * Throws VALIDATION_ERROR where the folder of a local_folder source is not inside one of `roots`, or by a link only, and FORBIDDEN
 * where it is not for the caller to name one. For sources of other types it does nothing.
 */
export const requireLocalFolder = async (
  { type, settings }: { readonly type: SourceType; readonly settings: SourceSettings },
  roots: readonly string[],
  principal: Principal,
): Promise<void> => {
  if (type !== 'local_folder') return;
  // Choice: such a source reads the server's own disk, so it is for those who look after everybody's sources.
  if (scopeOf(principal.permissions, 'sources.update') !== 'all') throw reasonedError('FORBIDDEN', 'local_folder_not_yours');
  if (roots.length === 0) throw pathError('no_roots');
  if (!(await isInside(settings.path ?? '', roots))) throw pathError('outside_roots');
};
