import { Writable } from 'node:stream';
import type { Client } from 'pg';
import { currentSchema, type DumpedTable, listTables } from './catalog.ts';
import { prepareDumpSession } from './dump-session.ts';
import { dumpTable } from './dump-table.ts';
import type { BackupTable } from './manifest.ts';

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
