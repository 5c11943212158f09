import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import type { BackupTable } from './manifest.ts';
import { RunningMeasure } from './measure.ts';

/** Tables that a backup leaves out, and why. All others of the schema are in it, those of later versions as well. */
export const OMITTED_TABLES: Readonly<Record<string, string>> = {
  migrations: 'written by the migrations themselves; the manifest has their version',
  backup_runs: 'the work of a service that runs now',
  rate_limit_counts: 'the counts of one minute',
  ocr_hosts: 'the hosts whose OCR workers run now',
  processes: 'the heartbeats of processes that run now',
};

/** A table as it is dumped. */
export interface DumpedTable {
  readonly schema: string;
  readonly name: string;
  /** Without the generated ones. */
  readonly columns: readonly string[];
  /** SQL after `order by`: the same order on every server. */
  readonly order: string;
}

interface TableRow {
  readonly name: string;
  readonly columns: string[];
  readonly key: string[] | null;
}

/**
 * All tables of `schema`, by name. They are ordered by their primary key; text by its bytes, as each server has its own collation.
 */
export const listTables = async (client: Client, schema: string): Promise<DumpedTable[]> => {
  const { rows } = await client.query<TableRow>(
    `select c.relname as name,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
        (select array_agg(quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end order by k.place)
          from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary and a.attrelid = i.indrelid) as key
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname`,
    [schema],
  );
  return rows.map(({ name, columns, key }) => ({ schema, name, columns, order: key === null ? 'r::text collate "C"' : key.join(', ') }));
};

/** Those of the tables `names` that the current schema has: older ones lack some. In the given order. */
export const listPresentTables = async (client: Client, names: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) with ordinality as wanted (name, place) where to_regclass(quote_ident(name)) is not null order by place',
    [names],
  );
  return rows.map(({ name }) => name);
};

export interface DumpedSequence {
  readonly name: string;
  readonly last_value: string;
  readonly is_called: boolean;
}

/** All sequences of `schema` with where they stand: they belong to no snapshot, so ask after it was taken, and none is behind its rows. */
export const listSequences = async (client: Client, schema: string): Promise<DumpedSequence[]> => {
  const { rows: names } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind = 'S' order by c.relname`,
    [schema],
  );
  const sequences: DumpedSequence[] = [];
  for (const { name } of names) {
    const from = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
    const { rows } = await client.query<Omit<DumpedSequence, 'name'>>(`select last_value::text, is_called from ${from}`);
    sequences.push(...rows.map((row) => ({ name, ...row })));
  }
  return sequences;
};

/** The schema that the tables of the service are in. */
export const currentSchema = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
  return rows[0]?.schema ?? 'public';
};

const nowhere = (): Writable =>
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });

/**
 * Dumps the tables of the current schema once more and says in words which of them are not as `expected`: other rows, or other bytes.
 * The schema has to have the version that they were dumped with.
 */
export const compareTables = async (client: Client, expected: readonly BackupTable[], signal: AbortSignal): Promise<string[]> => {
  await prepareDumpSession(client);
  const present = new Map((await listTables(client, await currentSchema(client))).map((table) => [table.name, table]));
  const findings: string[] = [];
  for (const table of expected) {
    const finding = await compareTable(client, present.get(table.name), table, signal);
    if (finding !== undefined) findings.push(`table ${table.name} ${finding}`);
  }
  return findings;
};

const compareTable = async (
  client: Client,
  present: DumpedTable | undefined,
  expected: BackupTable,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (present === undefined) return 'is missing';
  const columns = present.columns.toSorted();
  if (columns.join() !== expected.columns.toSorted().join())
    return `has the columns ${columns.join(', ')}, not ${expected.columns.join(', ')}`;
  // in the order of the backup, which a table that was changed step by step need not have
  const dumped = await dumpTable(client, { ...present, columns: expected.columns }, [nowhere()], signal);
  if (dumped.rows !== expected.rows) return `has ${dumped.rows} rows, not ${expected.rows}`;
  return dumped.sha256 === expected.sha256 ? undefined : 'has different contents';
};

/** What the text of a value depends on besides the value; and no limits on time, as a dump takes as long as it takes. */
const SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '3',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0', // PostgreSQL 14
};

/** Makes a session write equal values as equal text, whatever server and role it is on. */
export const prepareDumpSession = async (client: Client): Promise<void> => {
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query('select set_config(name, $2, false) from pg_settings where name = $1', [name, value]);
};

const CHUNK_BYTES = 256 * 1024;

/** The answer to a COPY statement. Where it is read no further, the connection is good for nothing but to be ended. */
export const copyOut = (client: Client, statement: string): CopyToStreamQuery => {
  const rows = client.query(copyTo(statement, { highWaterMark: CHUNK_BYTES }));
  // Who reads it hears of it; and when its connection is ended, nobody reads it any more.
  rows.on('error', () => {});
  return rows;
};

/** Writes the rows of `table`, as COPY gives them, through `destination`, and says what they were. */
export const dumpTable = async (
  client: Client,
  table: DumpedTable,
  destination: readonly [Writable, ...Writable[]],
  signal: AbortSignal,
): Promise<BackupTable> => {
  const running = new RunningMeasure();
  const rows = copyOut(client, copyStatement(client, table));
  await pipeline([Readable.from(measured(rows, running), { objectMode: false, highWaterMark: CHUNK_BYTES }), ...destination], { signal });
  await client.query('select'); // only then the answer to COPY, which follows its rows, was read
  return { name: table.name, columns: [...table.columns], rows: rows.rowCount, ...running.finish() };
};

const measured = async function* (chunks: AsyncIterable<Uint8Array>, running: RunningMeasure): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    running.add(chunk);
    yield chunk;
  }
};

const copyStatement = (client: Client, { schema, name, columns, order }: DumpedTable): string => {
  const selected = columns.map((column) => `r.${client.escapeIdentifier(column)}`).join(', ');
  return `copy (select ${selected} from ${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)} r order by ${order}) to stdout`;
};
