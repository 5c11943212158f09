import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import type { Client } from 'pg';
import { currentSchema, listPresentTables, listSequences, listTables, OMITTED_TABLES } from './catalog.ts';
import { prepareDumpSession } from './dump-session.ts';
import { copyOut, dumpTable } from './dump-table.ts';
import { tableName } from './entry-layout.ts';
import type { EntryWriter } from './entry-writer.ts';
import type { BackupManifest, BackupTable } from './manifest.ts';

/** Text of a database: a higher level takes thrice the time and saves a tenth. */
const GZIP_LEVEL = 1;

/** What was taken from one moment of the database. */
export interface Snapshot {
  readonly takenAt: Date;
  readonly schemaVersion: number;
  readonly database: BackupManifest['database'];
  /** The originals that are kept, also of earlier versions and in the trash: how many, and how many bytes. */
  readonly originals: { readonly files: number; readonly bytes: number };
}

export interface SnapshotOptions {
  /** Where the list of originals is written, in the form that `readOriginals` reads. */
  readonly originalsPath: string;
  readonly signal: AbortSignal;
  /** Told of each table that is written. */
  readonly onTable: (table: BackupTable) => void;
}

/** Runs `work` in a transaction that sees one moment of the database and changes nothing. */
export const inSnapshot = async <T>(client: Client, work: (takenAt: Date) => Promise<T>): Promise<T> => {
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
export const dumpDatabase = (client: Client, writer: EntryWriter, options: SnapshotOptions): Promise<Snapshot> =>
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
