import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import type { DumpedTable } from './catalog.ts';
import type { BackupTable } from './manifest.ts';
import { RunningMeasure } from './measure.ts';

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
