import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient } from '@sheaf/db';
import { readApplied, readMigrations } from '@sheaf/db/migrations';
import { FatalError, type Logger } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import type { Client } from 'pg';
import { takeBackupLocks } from './backup-lock.ts';
import type { BackupReader } from './backup-reader.ts';
import { holdService } from './hold-service.ts';
import { refuseNewerSchema } from './load-database.ts';
import type { MissingFile } from './manifest.ts';
import type { BackupReport } from './report.ts';
import { type RestoredDatabase, restoreDatabase } from './restore-database.ts';
import { type ArrivalTally, restoreFiles } from './restore-files.ts';

export interface RestoreDeps {
  readonly databaseUrl: Secret;
  /** The one for new documents alone. */
  readonly storage: Storage;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

export interface RestoreOptions {
  /** Takes the place of what is there. */
  readonly isForced: boolean;
  /** How many files at the same time. */
  readonly parallel: number;
}

export interface RestoreResult {
  readonly files: ArrivalTally;
  readonly database: RestoredDatabase;
  /** Files that the backup does not have, and the storage neither. */
  readonly missing: readonly MissingFile[];
}

/**
 * Restores files and database from the backup. The backup is read through first, and the files come before the rows; the database
 * changes as a whole at the very end. Killed or failed at any point it leaves the database as it was, with files more at most, and may
 * be called again. Throws a FatalError with exit code 69 while the service or a backup runs, with 1 where there are documents or users
 * and it is not forced, and where the backup has a newer schema; BACKUP_DAMAGED; SERVICE_UNAVAILABLE where the storage cannot be used.
 */
export const restoreBackup = async (reader: BackupReader, deps: RestoreDeps, options: RestoreOptions): Promise<RestoreResult> => {
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const onLost = (cause: Error): void =>
    lost.abort(new FatalError(makeProblem('database_connection_lost', { operation: 'restore' }), 1, cause));
  const client = await connectClient(deps.databaseUrl, { applicationName: 'sheaf restore' });
  client.on('error', onLost);
  try {
    await takeBackupLocks(client);
    await using _place = await holdService(client, { ...deps, signal, onLost });
    return await restoreAll(client, reader, { ...deps, signal }, options);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await client.end();
  }
};

const restoreAll = async (client: Client, reader: BackupReader, deps: RestoreDeps, options: RestoreOptions): Promise<RestoreResult> => {
  await requireTarget(client, reader, options);
  await requireStorage(deps.storage);
  await requireWhole(reader, deps);
  const files = await restoreFiles({ reader, ...deps, parallel: options.parallel });
  const missing = await findMissing(reader, deps.storage);
  await client.query('select'); // whether the locks were held all the time
  return { files, missing, database: await restoreDatabase(client, { reader, ...deps }) };
};

/** That the database may be replaced. */
const requireTarget = async (client: Client, { manifest }: BackupReader, { isForced }: RestoreOptions): Promise<void> => {
  const known = await readMigrations();
  refuseNewerSchema(manifest, known);
  const applied = (await readApplied(client)).at(-1);
  if (applied !== undefined && !known.some(({ version }) => version === applied.version))
    throw new FatalError(makeProblem('restore_schema_newer', { version: applied.version }));
  if (isForced) return;
  for (const table of ['documents', 'users']) {
    const { rows: found } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
    if (found[0]?.there !== true) continue;
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    if (rows[0]?.count !== 0) throw new FatalError(makeProblem('database_not_empty', { rows: rows[0]?.count, table }));
  }
};

const requireStorage = async (storage: Storage): Promise<void> => {
  const health = await storage.check();
  if (health.status === 'unhealthy')
    throw new FatalError(health.problems?.[0] ?? makeProblem('storage_unavailable', { place: storage.place }));
};

const MOST_TOLD = 10;

/** That everything in the backup is as it was made, before anything is changed. */
const requireWhole = async (reader: BackupReader, { signal, report }: RestoreDeps): Promise<void> => {
  const { database, files, previews } = reader.manifest;
  report.begin('verifying the backup', {
    files: database.tables.length + files.count + previews.count,
    bytes: database.tables.reduce((sum, { bytes }) => sum + bytes, files.bytes + previews.bytes),
  });
  const findings = await reader.verifyChecksums({ signal, onFile: (bytes) => report.advance(bytes) });
  if (findings.length === 0) return;
  const rest = findings.length > MOST_TOLD ? [`and ${findings.length - MOST_TOLD} more`] : [];
  throw new FatalError(makeProblem('backup_not_intact', { findings: [...findings.slice(0, MOST_TOLD), ...rest].join('\n  ') }));
};

/** Those that were lost already when the backup was made, unless the storage here has them. */
const findMissing = async ({ manifest }: BackupReader, storage: Storage): Promise<MissingFile[]> => {
  const missing: MissingFile[] = [];
  for (const file of manifest.files.missing) if ((await storage.stat(documentKey(file.sha256))) === undefined) missing.push(file);
  return missing;
};
