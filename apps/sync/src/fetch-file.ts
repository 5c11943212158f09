import type { Source, SourceFile } from '@sheaf/db/schema';
import type { AttemptedFile } from '@sheaf/ingest';
import { ingestRemote, type RemoteResult } from '@sheaf/ingest';
import { traced } from '@sheaf/process/tracing';
import type { SourceDriver } from '@sheaf/sources';
import type { PendingFile } from './pending-files.ts';
import type { SyncDeps } from './sync-deps.ts';

export interface FetchOptions {
  readonly source: Source;
  readonly driver: SourceDriver;
  readonly signal: AbortSignal;
}

/** The document whose contents a changed file changes: the one that it became itself, not one that it is a copy of. */
const replacedBy = (known: SourceFile | undefined): string | undefined =>
  known === undefined || known.state === 'duplicate' ? undefined : (known.documentId ?? undefined);

/** A file of a source, as attempts at it are recorded. */
export const toAttempted = ({ file, path }: Pick<PendingFile, 'file' | 'path'>, source: Source): AttemptedFile => {
  const { etag, sizeBytes, modifiedAt } = file;
  return { route: source.type, path, sourceId: source.id, ownerId: source.ownerId, version: { etag, sizeBytes, modifiedAt } };
};

/** Fetches one file and takes it in. Throws SourceError, FileChanged, AppError, or the signal's reason. */
export const fetchFile = (pending: PendingFile, options: FetchOptions, deps: SyncDeps): Promise<RemoteResult> => {
  const { type, id } = options.source;
  const start = { kind: 'internal', attributes: { 'sheaf.route': type, 'sheaf.source.id': id } } as const;
  return traced(deps.telemetry.tracer, 'synced file', start, () => takeInRemote(pending, options, deps));
};

const takeInRemote = async (
  { file, path, known }: PendingFile,
  { source, driver, signal }: FetchOptions,
  { ingest, settings }: SyncDeps,
): Promise<RemoteResult> => {
  const { etag, sizeBytes, modifiedAt } = file;
  const { maxFileBytes, allowedExtensions } = settings.files.current();
  const opened = await driver.open(file, signal);
  try {
    return await ingestRemote(
      {
        route: source.type,
        sourceId: source.id,
        ownerId: source.ownerId,
        filename: file.path.slice(file.path.lastIndexOf('/') + 1),
        ledgerPath: path,
        body: opened.body,
        maxBytes: maxFileBytes,
        allowedExtensions,
        version: {
          etag,
          sizeBytes,
          modifiedAt,
        },
        replaces: replacedBy(known),
        sizeBytes,
        modifiedAt,
        signal,
        confirm: () => opened.isUnchanged(),
      },
      ingest,
    );
  } finally {
    opened.body.destroy();
  }
};
