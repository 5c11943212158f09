// A database that a newer Sheaf has migrated, as after going back to an older version.

import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { oneIn } from '../../support/full-run.ts';
import { StartedProgram } from '../../support/started-program.ts';

const ROOT = join(import.meta.dirname, '../../..');

const COMMANDS: readonly (readonly string[])[] = [
  ['node', 'apps/api/src/main.ts'],
  ['node', 'apps/ocr-worker/src/main.ts'],
  ['node', 'apps/watcher/src/main.ts'],
  ['node', 'apps/sync/src/main.ts'],
  ['node', 'apps/supervisor/src/main.ts'],
  ['bin/migrate', 'up'],
  ['bin/sheaf', 'verify'],
  ['bin/sheaf', 'backup'],
];

/** How many rows each table has. */
const countRows = async ({ pool }: TestDatabase) =>
  (
    await pool.query<{ name: string; rows: string }>(
      `select relname as name, query_to_xml(format('select count(*) from %I', relname), false, true, '')::text as rows
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
    )
  ).rows;

test('every process refuses the schema of a newer version with what to do and 78, and changes nothing', async (t) => {
  t.timeout(3 * 120_000);
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  await database.pool.query(`insert into migrations values (9999, 'later', 'hash')`);
  const before = await countRows(database);
  t.true(before.length > 10);
  for (const command of oneIn(5, COMMANDS)) {
    const program = new StartedProgram({
      command,
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'] ?? '',
        ...CODE_CACHE_ENVIRONMENT,
        DATA_PATH: join(folder.path, 'data'),
        UPLOAD_PATH: join(folder.path, 'uploads'),
        WATCH_FOLDER: join(folder.path, 'watch'),
        DATABASE_URL: database.url.reveal(),
        SERVER_ADDRESS: '127.0.0.1:0',
        PROBE_PORT_BASE: '0',
        ADMIN_PASSWORD: 'Sheaf-admin-1',
      },
    });
    t.is(await program.ended(), 78, `${command.join(' ')}: ${program.output}`);
    t.regex(program.output, /9999.* Start a newer Sheaf/, command.join(' '));
    t.notRegex(program.output, /[Rr]un bin\/migrate up/, command.join(' '));
  }
  t.deepEqual(await countRows(database), before);
});
