import { pathToFileURL } from 'node:url';
import { type Issue, invalidInput, makeIssue, plainIssue, validationError } from '@sheaf/contract';
import {
  type CreateSourceRequest,
  folderOf,
  SETTINGS_BY_TYPE,
  type SourceBody,
  type SourceSettings,
  type SyncState,
  type SyncStatusBody,
  sourceAddress,
  type UpdateSourceRequest,
} from '@sheaf/contract/sources';
import type { Source, SourceFields, SyncRun } from '@sheaf/db/schema';
import type { CountedSource } from '@sheaf/sources';
import { refusalOfPatterns } from '@sheaf/storage/folders';
import type { RunState, SourceStatus } from '@sheaf/vocabulary/sources';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';

const statusOf = ({ source, isSyncing }: CountedSource): SourceStatus => {
  if (!source.isEnabled) return 'disabled';
  if (isSyncing) return 'syncing';
  return source.failures > 0 ? 'error' : 'active';
};

/** Where files of a source without an address of its own come from, as a URL. */
export const addressOf = ({ type, settings }: Pick<CountedSource['source'], 'type' | 'settings'>): string | null => {
  if (type === 'local_folder') return settings.path === undefined ? null : pathToFileURL(settings.path).href;
  if (type !== 's3' || settings.bucket === undefined) return null;
  return `s3://${settings.bucket}/${(settings.prefix ?? '').split('/').map(encodeURIComponent).join('/')}`;
};

/** A source as it goes over the wire. Its secret does not. */
export const toSourceBody = (counted: CountedSource): SourceBody => {
  const { source, documents } = counted;
  return {
    ...plainBodyOf(source),
    id: source.id,
    type: source.type,
    url: source.url ?? addressOf(source),
    status: statusOf(counted),
    last_sync: source.lastSyncAt?.toISOString() ?? null,
    next_sync: source.isEnabled ? (source.nextSyncAt?.toISOString() ?? null) : null,
    document_count: documents,
    owner_id: source.ownerId,
    settings: source.settings,
    username: source.username,
    has_secret: source.sealedSecret !== null,
    last_error: source.lastError,
    last_error_code: source.lastErrorCode,
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
};

const SYNC_STATES = {
  queued: 'running',
  running: 'running',
  completed: 'idle',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunState, SyncState>;

const NO_COUNTS = { processed: 0, total: 0, added: 0, updated: 0, moved: 0, removed: 0, skipped: 0, failed: 0, bytes: 0 };

/** How far the last run over a source has come; without one, that there was none. */
export const toSyncStatusBody = (sourceId: string, run: SyncRun | undefined): SyncStatusBody => {
  if (run === undefined)
    return {
      source_id: sourceId,
      state: 'idle',
      job_id: null,
      started_at: null,
      finished_at: null,
      ...NO_COUNTS,
      current_file: null,
      error: null,
      error_code: null,
    };
  const { processed, total, added, updated, moved, removed, skipped, failed, bytes } = run;
  return {
    source_id: sourceId,
    state: SYNC_STATES[run.state],
    job_id: run.id,
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    processed,
    total,
    added,
    updated,
    moved,
    removed,
    skipped,
    failed,
    bytes,
    current_file: run.state === 'running' ? run.currentFile : null,
    error: run.error,
    error_code: run.errorCode,
  };
};

/** What people say of a source of any type and what is kept as it was said, whatever else is said. */
type PlainFields = Pick<Source, 'name' | 'syncIntervalSeconds' | 'isRecursive' | 'filePatterns' | 'isEnabled'>;

type PlainBody = Pick<SourceBody, 'name' | 'sync_interval' | 'recursive' | 'file_patterns' | 'enabled'>;

export const plainFieldsOf = (request: CreateSourceRequest): PlainFields => ({
  name: request.name,
  syncIntervalSeconds: request.sync_interval,
  isRecursive: request.recursive,
  filePatterns: request.file_patterns,
  isEnabled: request.enabled,
});

/** `kept` with what the request gives. */
export const changedPlainFields = (kept: PlainFields, request: UpdateSourceRequest): PlainFields => ({
  name: request.name ?? kept.name,
  syncIntervalSeconds: request.sync_interval ?? kept.syncIntervalSeconds,
  isRecursive: request.recursive ?? kept.isRecursive,
  filePatterns: request.file_patterns ?? kept.filePatterns,
  isEnabled: request.enabled ?? kept.isEnabled,
});

const plainBodyOf = (fields: PlainFields): PlainBody => ({
  name: fields.name,
  sync_interval: fields.syncIntervalSeconds,
  recursive: fields.isRecursive,
  file_patterns: fields.filePatterns,
  enabled: fields.isEnabled,
});

/** What becomes of the secret that is kept. */
export type SecretChange = 'kept' | 'dropped' | { readonly given: string };

/** A source as a request would have it. */
export interface SourceDraft {
  readonly fields: Omit<SourceFields, 'sealedSecret'>;
  readonly secret: SecretChange;
  /** Whether its files are to come from another place than before. */
  readonly isElsewhere: boolean;
  /** Whether other files than before may stand at the paths that are known. */
  readonly hasOtherFiles: boolean;
}

type Kept = SourceFields & Pick<Source, 'type'>;

const hrefOf = (address: string | null | undefined): string | null => (address == null ? null : new URL(address).href);

/** Where files come from: the secret is for there and nowhere else. */
const placeOf = ({ url, settings }: { readonly url: string | null; readonly settings: SourceSettings }): string =>
  JSON.stringify([hrefOf(url), hrefOf(settings.endpoint_url), settings.bucket ?? null, settings.path ?? null]);

const requireNone = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw invalidInput('body', issues);
};

const givenSettings = ({ type, settings }: Kept, given: UpdateSourceRequest['settings']): SourceSettings =>
  given === undefined ? settings : parseInput(z.object({ settings: SETTINGS_BY_TYPE[type] }), { settings: given }, 'body').settings;

/** The settings, with the folder that `url` names: it counts where it is another one than before. */
const settingsOf = (kept: Kept, { settings: given, url }: UpdateSourceRequest): SourceSettings => {
  const settings = givenSettings(kept, given);
  if (kept.type !== 'local_folder' || url === undefined || url === addressOf(kept)) return settings;
  const path = folderOf(url);
  if (path === undefined) return settings;
  const isOther = given !== undefined && settings.path !== kept.settings.path && settings.path !== path;
  requireNone(isOther ? [makeIssue('url', 'other_folder')] : []);
  return { ...settings, path };
};

/** An address that is none for the type. Of S3 it follows from the settings: only as it was or will be is it no contradiction. */
const addressIssues = (kept: Kept, settings: SourceSettings, url: string | undefined): Issue[] => {
  if (url === undefined) return [];
  const { type } = kept;
  if (type === 'webdav') return sourceAddress.safeParse(url).success ? [] : [makeIssue('url', 'not_address')];
  if (type === 'local_folder') return folderOf(url) === undefined ? [makeIssue('url', 'not_absolute_path')] : [];
  return [addressOf(kept), addressOf({ type, settings })].includes(url) ? [] : [makeIssue('url', 'not_for_type', { type })];
};

const secretChange = ({ username, password }: UpdateSourceRequest): SecretChange => {
  if (typeof password === 'string') return { given: password };
  return password === null || username === null ? 'dropped' : 'kept';
};

/** Fields that are nothing to a source of this type. */
const strayIssues = ({ type }: Kept, request: UpdateSourceRequest): Issue[] => {
  const strangers = { webdav: [], s3: [], local_folder: ['username', 'password'] } as const;
  return strangers[type].flatMap((path) => (request[path] == null ? [] : [makeIssue(path, 'not_for_type', { type })]));
};

const usernameIssues = ({ type }: Kept, username: string | null, secret: SecretChange): Issue[] => {
  if (username === null)
    return type === 's3' || (type === 'webdav' && typeof secret === 'object')
      ? [type === 's3' ? makeIssue('username', 'access_key_needed') : makeIssue('username', 'needed_with_password')]
      : [];
  return type === 'webdav' && username.includes(':') ? [makeIssue('username', 'colon')] : [];
};

const secretIssues = ({ type, sealedSecret }: Kept, secret: SecretChange, isElsewhere: boolean): Issue[] => {
  if (type === 's3' && secret === 'dropped') return [makeIssue('password', 'secret_key_needed')];
  return secret === 'kept' && sealedSecret !== null && isElsewhere ? [makeIssue('password', 'secret_needed_again')] : [];
};

/**
 * `kept` with the changes of a request. Throws VALIDATION_ERROR for what makes no source of its type, and where the place changes
 * and the secret is not given again: who may change a source could send its secret to themselves otherwise.
 */
export const draftSource = (kept: Kept, request: UpdateSourceRequest): SourceDraft => {
  const settings = settingsOf(kept, request);
  const url = kept.type === 'webdav' ? (request.url ?? kept.url) : kept.url;
  const username = request.username === undefined ? kept.username : request.username;
  const secret = secretChange(request);
  const isElsewhere = placeOf({ url, settings }) !== placeOf(kept);
  if (request.file_patterns !== undefined) requireFilePatterns(request.file_patterns);
  requireNone([
    ...addressIssues(kept, settings, request.url),
    ...strayIssues(kept, request),
    ...usernameIssues(kept, username, secret),
    ...secretIssues(kept, secret, isElsewhere),
  ]);
  const fields = { ...changedPlainFields(kept, request), url, username, settings };
  const hasOtherFiles = isElsewhere || settings.prefix !== kept.settings.prefix;
  return { fields, secret, isElsewhere, hasOtherFiles };
};

/** What a request to make a source says of it, and its secret apart. Throws VALIDATION_ERROR for patterns that take too much time. */
export const newSource = (request: CreateSourceRequest): { fields: Omit<SourceFields, 'sealedSecret'>; secret: string | undefined } => {
  requireFilePatterns(request.file_patterns);
  const { username, password, url } =
    request.type === 'local_folder'
      ? { username: undefined, password: undefined, url: undefined }
      : { username: request.username, password: request.password, url: request.type === 'webdav' ? request.url : undefined };
  return {
    fields: {
      ...plainFieldsOf(request),
      url: url ?? null,
      username: username ?? null,
      settings: request.settings,
    },
    secret: password,
  };
};

/** Throws VALIDATION_ERROR for patterns that would take the service too much time, however few files there are. */
const requireFilePatterns = (patterns: readonly string[]): void => {
  const message = refusalOfPatterns(patterns);
  if (message !== undefined)
    throw validationError(`Invalid body: file_patterns: ${message}`, {
      issues: [plainIssue('file_patterns', message, 'pattern_too_slow')],
    });
};
