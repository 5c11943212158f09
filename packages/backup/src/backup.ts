import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errorCode, type Secret, serviceUnavailable } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, isDatabaseUnavailable } from '@sheaf/db';
import { type Clock, FatalError } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { isNoRoom, type Storage, toStorageError } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import type { Client } from 'pg';
import { ArchiveWriter, DirectoryWriter, type EntryWriter, writeDurably } from './archive-writer.ts';
import {
  configurationName,
  entryName,
  listEntries,
  listIncomplete,
  MANIFEST,
  MANIFEST_HASH,
  removeEntry,
  sweepFolder,
  tableName,
} from './backup-list.ts';
import { takeBackupLocks } from './backup-runs.ts';
import {
  copyOut,
  currentSchema,
  dumpTable,
  listPresentTables,
  listSequences,
  listTables,
  OMITTED_TABLES,
  prepareDumpSession,
} from './compare-tables.ts';
import { type FileTally, keepOriginals, keepPreviews } from './keep-files.ts';
import { type KeepDeps, openEarlierCopies } from './keep-original.ts';
import type { BackupReport } from './load-database.ts';
import { BACKUP_FORMAT, type BackupManifest, type BackupTable, type ConfigurationFile, type ConfigurationFileName } from './manifest.ts';

export interface BackupDeps {
  readonly databaseUrl: Secret;
  readonly storage: Storage;
  readonly serviceVersion: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

export interface BackupOptions {
  /** Where the entry is made; made itself where it is absent. */
  readonly folder: string;
  /** Further folders with backups, whose copies of files may be used. */
  readonly otherFolders?: readonly string[];
  readonly isArchive: boolean;
  /** Reads every file from the storage, instead of linking to the newest backup what that has. */
  readonly isFull: boolean;
  readonly configuration: ConfigurationParts;
  /** How many whole entries are kept in `folder`, with the new one; undefined: all. */
  readonly keep: number | undefined;
}

export interface BackupResult extends FilledEntry {
  readonly path: string;
  /** Names of the older entries that were removed. */
  readonly removed: readonly string[];
}

const CONNECTION = { applicationName: 'sheaf backup', keepAliveInitialDelayMillis: 30_000 };

/**
 * Makes a backup while the service runs or stands: the database at one moment, the files that its rows refer to, and the configuration.
 * What it makes has its name only when it is whole and survives a power cut. What it leaves when it fails or is killed is taken over by
 * the next one, except where the disk is full. Files that nobody has any more stand in the manifest, and nothing is removed then.
 * Throws a FatalError with exit code 69 where another backup runs, SERVICE_UNAVAILABLE where the folder or the storage cannot be used.
 */
export const makeBackup = async (deps: BackupDeps, options: BackupOptions): Promise<BackupResult> => {
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const client = await connectClient(deps.databaseUrl, CONNECTION);
  // With it go the locks, without which stored files may be removed.
  client.on('error', (error) => lost.abort(connectionLost(error)));
  try {
    await takeBackupLocks(client);
    return await makeEntry(client, { ...deps, signal }, { ...options, folder: resolve(options.folder) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw isDatabaseUnavailable(error) ? connectionLost(error) : toStorageError(error, options.folder);
  } finally {
    await client.end();
  }
};

const connectionLost = (cause: unknown): FatalError =>
  new FatalError(makeProblem('database_connection_lost', { operation: 'backup' }), EXIT.failed, cause);

const makeEntry = async (client: Client, deps: BackupDeps, options: BackupOptions): Promise<BackupResult> => {
  const { folder, isArchive, isFull, otherFolders = [], keep } = options;
  await makeBackupFolder(folder);
  await sweepFolder(folder);
  const leftovers = await listIncomplete(folder);
  const earlier = await openEarlierCopies({ folders: [folder, ...otherFolders], isFull });
  const name = entryName(deps.clock.now(), randomBytes(3).toString('hex'));
  const writer = await (isArchive ? ArchiveWriter : DirectoryWriter).open(folder, name);
  try {
    const filled = await fillEntry(client, { ...deps, writer, earlier }, options.configuration);
    deps.report.begin('finishing');
    const path = await writer.finish();
    await removeAll(leftovers);
    return { ...filled, path, removed: filled.manifest.files.missing.length === 0 ? await removeOldest(folder, keep) : [] };
  } catch (error) {
    if (isNoRoom(error)) await Promise.all([writer.discard(), removeAll(leftovers)]);
    else await writer.abandon();
    throw error;
  }
};

const makeBackupFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder, { mode: 0o700 });
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? serviceUnavailable(`${folder} is not a folder; move the file that stands in its way`, error)
      : error;
  }
};

const removeAll = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(path, { recursive: true, force: true });
};

const removeOldest = async (folder: string, keep: number | undefined): Promise<string[]> => {
  const surplus = keep === undefined ? [] : (await listEntries(folder)).slice(keep);
  for (const entry of surplus) await removeEntry(folder, entry);
  return surplus.map(({ name }) => name);
};

export interface ConfigurationParts {
  readonly hasSecrets: boolean;
  readonly files: readonly { readonly name: ConfigurationFileName; readonly bytes: Uint8Array }[];
}

interface FillDeps extends KeepDeps {
  readonly serviceVersion: string;
  readonly report: BackupReport;
}

interface FilledEntry {
  readonly manifest: BackupManifest;
  readonly files: FileTally;
}

/** The list of what has to be copied; it is no part of the entry. */
const ORIGINALS = '.originals';

/**
 * Writes everything into the entry, the manifest last. The database comes first: nobody removes bytes meanwhile, so all its rows find
 * theirs, and the snapshot, which keeps the server from tidying up, is not held while the files are copied.
 */
const fillEntry = async (client: Client, deps: FillDeps, parts: ConfigurationParts): Promise<FilledEntry> => {
  const { writer, report, signal } = deps;
  const configuration = { has_secrets: parts.hasSecrets, files: await writeConfiguration(writer, parts) };
  report.begin('database');
  const originalsPath = await writer.pathFor(ORIGINALS);
  const snapshot = await dumpDatabase(client, writer, { originalsPath, signal, onTable: ({ bytes }) => report.advance(bytes) });
  const onFile = (sizeBytes: number): void => report.advance(sizeBytes);
  report.begin('files', snapshot.originals);
  const { files, tally } = await keepOriginals(deps, { originalsPath, onFile });
  report.begin('previews');
  const previews = await keepPreviews(deps, { originalsPath, onFile });
  await rm(originalsPath);
  await client.query('select'); // whether the locks were held all the time
  const manifest = toManifest(deps.serviceVersion, snapshot, { files, previews, configuration });
  await writeManifest(writer, manifest);
  return { manifest, files: tally };
};

const writeConfiguration = async (writer: EntryWriter, { files }: ConfigurationParts): Promise<ConfigurationFile[]> => {
  const written: ConfigurationFile[] = [];
  for (const { name, bytes } of files) {
    await writeSmall(writer, configurationName(name), bytes);
    written.push({ name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  return written;
};

const toManifest = (
  serviceVersion: string,
  { takenAt, schemaVersion, database }: Snapshot,
  rest: Pick<BackupManifest, 'files' | 'previews' | 'configuration'>,
): BackupManifest => ({
  format: BACKUP_FORMAT,
  service_version: serviceVersion,
  schema_version: schemaVersion,
  created_at: takenAt.toISOString(),
  database,
  ...rest,
});

const writeManifest = async (writer: EntryWriter, manifest: BackupManifest): Promise<void> => {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await writeSmall(writer, MANIFEST, bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await writeSmall(writer, MANIFEST_HASH, Buffer.from(`${hash}  ${MANIFEST}\n`));
};

const writeSmall = async (writer: EntryWriter, name: string, bytes: Uint8Array): Promise<void> => {
  await writeDurably(await writer.pathFor(name), bytes);
  await writer.take(name, { isSynced: true });
};

/** Text of a database: a higher level takes thrice the time and saves a tenth. */
const GZIP_LEVEL = 1;

/** What was taken from one moment of the database. */
interface Snapshot {
  readonly takenAt: Date;
  readonly schemaVersion: number;
  readonly database: BackupManifest['database'];
  /** The originals that are kept, also of earlier versions and in the trash: how many, and how many bytes. */
  readonly originals: { readonly files: number; readonly bytes: number };
}

interface SnapshotOptions {
  /** Where the list of originals is written, in the form that `readOriginals` reads. */
  readonly originalsPath: string;
  readonly signal: AbortSignal;
  /** Called for each table that is written. */
  readonly onTable: (table: BackupTable) => void;
}

/** Runs `work` in a transaction that sees one moment of the database and changes nothing. */
const inSnapshot = async <T>(client: Client, work: (takenAt: Date) => Promise<T>): Promise<T> => {
  await prepareDumpSession(client);
  await client.query('begin isolation level repeatable read read only');
  const { rows } = await client.query<{ taken_at: Date }>('select now() as taken_at'); // the first query takes the snapshot
  const result = await work(rows[0]?.taken_at ?? new Date());
  await client.query('commit');
  return result;
};

/**
 * Writes all tables of the database at one moment into the entry, and the list of the files that belong to them. After a failure the
 * connection is good for nothing but to be ended: a COPY may be stuck in it.
 */
const dumpDatabase = (client: Client, writer: EntryWriter, options: SnapshotOptions): Promise<Snapshot> =>
  inSnapshot(client, async (takenAt) => {
    const schema = await currentSchema(client);
    const tables: BackupTable[] = [];
    for (const table of (await listTables(client, schema)).filter(({ name }) => !Object.hasOwn(OMITTED_TABLES, name))) {
      const name = tableName(table.name);
      const target = createWriteStream(await writer.pathFor(name), { flags: 'wx', mode: 0o600 });
      const dumped = await dumpTable(client, table, [createGzip({ level: GZIP_LEVEL, chunkSize: 256 * 1024 }), target], options.signal);
      await writer.take(name);
      tables.push(dumped);
      options.onTable(dumped);
    }
    const omitted = Object.entries(OMITTED_TABLES).map(([name, reason]) => ({ name, reason }));
    return {
      takenAt,
      schemaVersion: await readVersion(client),
      database: { tables, sequences: await listSequences(client, schema), omitted },
      originals: await listOriginals(client, options),
    };
  });

const readVersion = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ version: number | null }>('select max(version) as version from migrations');
  return rows[0]?.version ?? 0;
};

/** What refers to stored files, by table: as the view kept_files, with the types of the files. */
const KEPT_FILES: Readonly<Record<string, string>> = {
  documents: 'select id, sha256, size_bytes, mime_type from documents',
  document_versions: 'select document_id, sha256, size_bytes, mime_type from document_versions',
  trashed_documents: 'select id, sha256, size_bytes, mime_type from trashed_documents',
  // of a schema before that of this version
  trashed_files: `select id, trashed_files.sha256, trashed_files.size_bytes, mime_type
    from trashed_files join trashed_documents on trashed_documents.id = document_id`,
};

/** SQL of all that refers to stored files: also of a schema that has not all of these tables yet. */
const selectKeptFiles = async (client: Client): Promise<string> => {
  const present = await listPresentTables(client, Object.keys(KEPT_FILES));
  return present.map((name) => KEPT_FILES[name]).join(' union all ');
};

/** Lines `<sha256> <bytes> <t or f: whether it has a preview> <ids of its documents>`, in the order of the hashes. */
const listOriginals = async (client: Client, { originalsPath, signal }: SnapshotOptions): Promise<Snapshot['originals']> => {
  const office = FILE_KINDS.filter(({ family }) => family === 'office').map(({ mimeType }) => client.escapeLiteral(mimeType));
  const kept = await selectKeptFiles(client);
  const statement = `copy (select sha256, max(size_bytes), bool_or(mime_type in (${office.join(', ')})), string_agg(distinct id::text, ',')
    from (${kept}) as kept group by sha256 order by sha256 collate "C") to stdout with (delimiter ' ')`;
  await pipeline(copyOut(client, statement), createWriteStream(originalsPath, { flags: 'wx', mode: 0o600 }), { signal });
  const { rows } = await client.query<{ files: string; bytes: string }>(
    `select count(*) as files, coalesce(sum(size_bytes), 0) as bytes
      from (select max(size_bytes) as size_bytes from (${kept}) as kept group by sha256) as originals`,
  );
  return { files: Number(rows[0]?.files), bytes: Number(rows[0]?.bytes) };
};
