import { pathToFileURL } from 'node:url';
import type { CreateSourceRequest, SourceBody, SyncState, SyncStatusBody, UpdateSourceRequest } from '@sheaf/contract/sources';
import type { Source, SyncRun } from '@sheaf/db/schema';
import type { CountedSource } from '@sheaf/sources';
import type { RunState, SourceStatus } from '@sheaf/vocabulary/sources';

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
