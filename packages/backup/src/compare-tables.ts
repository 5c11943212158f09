import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import { currentSchema, type DumpedTable, listTables } from './catalog.ts';
import type { BackupTable } from './manifest.ts';
import { RunningMeasure } from './measure.ts';

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
