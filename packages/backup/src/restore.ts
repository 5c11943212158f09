import type { Readable } from 'node:stream';
import { type Secret, serviceUnavailable } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, ReplicaLock } from '@sheaf/db';
import { readApplied, readMigrations } from '@sheaf/db/migrations';
import { FatalError, type Logger, sleep } from '@sheaf/process';
import { documentKey, previewKey, type Storage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { takeBackupLocks } from './backup-runs.ts';
import { type BackupReport, type RestoredDatabase, refuseNewerSchema, restoreDatabase } from './load-database.ts';
import type { MissingFile } from './manifest.ts';
import { type Measure, RunningMeasure } from './measure.ts';
import { type BackupReader, mapInOrder } from './verify-checksums.ts';

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

const MAX_REPORTED = 10;

/** That everything in the backup is as it was made, before anything is changed. */
const requireWhole = async (reader: BackupReader, { signal, report }: RestoreDeps): Promise<void> => {
  const { database, files, previews } = reader.manifest;
  report.begin('verifying the backup', {
    files: database.tables.length + files.count + previews.count,
    bytes: database.tables.reduce((sum, { bytes }) => sum + bytes, files.bytes + previews.bytes),
  });
  const findings = await reader.verifyChecksums({ signal, onFile: (bytes) => report.advance(bytes) });
  if (findings.length === 0) return;
  const rest = findings.length > MAX_REPORTED ? [`and ${findings.length - MAX_REPORTED} more`] : [];
  throw new FatalError(makeProblem('backup_not_intact', { findings: [...findings.slice(0, MAX_REPORTED), ...rest].join('\n  ') }));
};

/** Those that were lost already when the backup was made, unless the storage here has them. */
const findMissing = async ({ manifest }: BackupReader, storage: Storage): Promise<MissingFile[]> => {
  const missing: MissingFile[] = [];
  for (const file of manifest.files.missing) if ((await storage.stat(documentKey(file.sha256))) === undefined) missing.push(file);
  return missing;
};

/** The processes of which exactly one may run. */
const SINGLE_PROCESSES = ['api', 'watcher', 'sync'] as const;

/** Three heartbeats: who was not heard of for that long is gone. */
const SILENCE_MS = 15_000;
const POLL_MS = 500;

interface HoldServiceOptions {
  readonly databaseUrl: Secret;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told when the place was lost, to who took it. */
  readonly onLost: (error: Error) => void;
}

/**
 * Takes the place of the service on this database, so that it cannot start until this is disposed of. Throws a FatalError with exit
 * code 69, naming who it is, while a process of the service runs.
 */
const holdService = async (client: Client, options: HoldServiceOptions): Promise<AsyncDisposable> => {
  const { databaseUrl, log, onLost, signal } = options;
  await using held = new AsyncDisposableStack();
  for (const processName of SINGLE_PROCESSES) {
    const lock = new ReplicaLock({ url: databaseUrl, processName, isForRestore: true, log, onLost });
    held.defer(() => lock.stop());
    await lock.start();
  }
  await requireSilence(client, signal);
  return held.move();
};

interface Beat {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly seen_at: Date;
}

/** Processes that take no lock are known by their heartbeats alone; one that was killed is silent after a while. */
const requireSilence = async (client: Client, signal: AbortSignal): Promise<void> => {
  const first = await listBeats(client);
  const isAsFirst = ({ id, seen_at }: Beat): boolean =>
    first.some((beat) => beat.id === id && beat.seen_at.getTime() === seen_at.getTime());
  for (let beats = first; beats.length > 0; beats = await listBeats(client)) {
    const alive = beats.find((beat) => !isAsFirst(beat));
    if (alive !== undefined) throw stillRuns(alive);
    await sleep(POLL_MS, signal);
    signal.throwIfAborted();
  }
};

const stillRuns = ({ name, pid, host }: Beat): FatalError =>
  new FatalError(makeProblem('service_running', { process: name, pid: String(pid), host }), EXIT.replicaRuns);

const listBeats = async (client: Client): Promise<Beat[]> => {
  const { rows: found } = await client.query<{ there: boolean }>(`select to_regclass('processes') is not null as there`);
  if (found[0]?.there !== true) return [];
  const { rows } = await client.query<Beat>(
    `select id, name, pid, host, seen_at from processes where not holds_lock and seen_at > now() - $1 * interval '1 millisecond'`,
    [SILENCE_MS],
  );
  return rows;
};

/** What became of a file: it came from the backup, it was there and right, or it was there and wrong, and was replaced. */
type Arrival = 'stored' | 'present' | 'replaced';

type ArrivalTally = Readonly<Record<Arrival, number>>;

interface RestoreFilesDeps {
  readonly reader: BackupReader;
  readonly storage: Storage;
  /** How many files at the same time. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

interface KeptFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly open: () => Readable;
}

/**
 * Puts all originals and previews of the backup into the storage, each read back and compared. An object that is there stays where its
 * bytes are right, and is replaced where they are not. Nothing is removed. May be called again after it failed.
 */
const restoreFiles = async (deps: RestoreFilesDeps): Promise<ArrivalTally> => {
  const { files, previews } = deps.reader.manifest;
  const tally: Record<Arrival, number> = { stored: 0, present: 0, replaced: 0 };
  deps.report.begin('files', { files: files.count + previews.count, bytes: files.bytes + previews.bytes });
  const arrivals = mapInOrder(listKeptFiles(deps.reader), deps.parallel, async (file) => {
    deps.signal.throwIfAborted();
    const arrival = await putRight(deps, file);
    deps.report.advance(file.sizeBytes);
    return arrival;
  });
  for await (const arrival of arrivals) tally[arrival] += 1;
  return tally;
};

const listKeptFiles = async function* (reader: BackupReader): AsyncGenerator<KeptFile> {
  for await (const { sha256, sizeBytes } of reader.listFiles())
    yield { key: documentKey(sha256), sizeBytes, sha256, open: () => reader.file(sha256) };
  for await (const preview of reader.listPreviews())
    yield { key: previewKey(preview.documentSha256), ...preview, open: () => reader.preview(preview) };
};

const putRight = async (deps: RestoreFilesDeps, file: KeptFile): Promise<Arrival> => {
  const { storage } = deps;
  const isThere = (await storage.stat(file.key)) !== undefined;
  if (isThere && (await isRight(deps, file))) return 'present';
  // never shared with the backup, which a path would allow
  if (isThere) await storage.replace(file.key, file.open());
  else await storage.put(file.key, file.open());
  const { bytes, sha256 } = await measureStored(deps, file.key);
  if (bytes === file.sizeBytes && sha256 === file.sha256) return isThere ? 'replaced' : 'stored';
  throw serviceUnavailable(
    `The storage ${storage.place} returned different bytes than were written for ${file.key}. Check its disk and memory.`,
  );
};

const isRight = async (deps: RestoreFilesDeps, { key, sizeBytes, sha256 }: KeptFile): Promise<boolean> => {
  try {
    const stored = await measureStored(deps, key);
    return stored.bytes === sizeBytes && stored.sha256 === sha256;
  } catch {
    deps.signal.throwIfAborted();
    return false; // what cannot be read is to be replaced; where the storage itself is away, that tells so
  }
};

const measureStored = async ({ storage, signal }: RestoreFilesDeps, key: string): Promise<Measure> => {
  const running = new RunningMeasure();
  const { stream } = await storage.open(key);
  const chunks: AsyncIterable<Uint8Array> = stream;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    running.add(chunk);
  }
  return running.finish();
};
