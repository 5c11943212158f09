// A newer version migrates the database while this one runs, as in an upgrade of one host after the other.
import { latestVersion, migrateUp } from '@sheaf/db/migrations';
import { makeServiceFolder, openTestDatabase, RunningService, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';
import { readLaterMigrations } from '../support/extra-migrations.ts';
import { waitFor } from '../support/wait-for.ts';

const ADDITIVE = `
create table later_notes (id uuid primary key, document_id uuid references documents (id) on delete cascade);
alter table documents add column later_name text, add column later_count integer not null default 0;
alter table ocr_jobs add column later_count integer not null default 0;
alter table processes add column later_name text;`;
const BREAKING = 'alter table documents rename column title to later_title;';

const migrateTo = async ({ url }: TestDatabase, extra: Readonly<Record<string, string>>): Promise<void> => {
  const client = new Client({ connectionString: url.reveal() });
  await client.connect();
  try {
    await migrateUp(client, await readLaterMigrations(extra));
  } finally {
    await client.end();
  }
};

test('all processes go on and start with a schema that is one compatible step further, and end with 78 after a step that is not', async (t) => {
  t.timeout(5 * 120_000);
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  const own = String(await latestVersion()).padStart(4, '0');
  const compatible = { '9001_add_notes': `-- compatible-from: ${own}\n${ADDITIVE}` };
  const start = () => new RunningService({ folder: folder.path, env: { DATABASE_URL: database.url.reveal() } });
  const process = async (service: RunningService, text: string): Promise<unknown> => {
    const admin = await (await service.ready()).login('ada');
    const { status, body } = await admin.upload({ name: `${text}.txt`, bytes: new TextEncoder().encode(text) });
    t.is(status, 201, JSON.stringify(body));
    await admin.waitForEnd(String(body['id']), 180_000);
    return (await admin.find(text)).length;
  };
  const pids = async (): Promise<unknown> =>
    (await database.pool.query('select pid, name from processes where seen_at > $1 order by pid', [new Date(Date.now() - 15_000)])).rows;
  {
    await using service = start();
    await (await service.ready()).register('ada');
    t.is(await process(service, 'meadow'), 1);
    const before = await pids();
    await migrateTo(database, compatible);
    t.is(await process(service, 'orchard'), 1);
    t.deepEqual(await pids(), before, 'no process has ended');
    t.like((await (await (await service.ready()).login('ada')).get('/ready')).body, { status: 'healthy' });
  }
  await database.pool.query('delete from processes');
  await using service = start();
  t.is(await process(service, 'harbour'), 1);
  t.regex(service.output, /ready/);
  await migrateTo(database, { ...compatible, '9002_rename_title': BREAKING });
  await waitFor(() => service.process.exitCode !== null, { description: 'the end of the service', limitMs: 120_000 });
  t.is(service.process.exitCode, 78, service.output);
  t.regex(service.output, /9002.* Start a newer Sheaf/);
  await using again = start();
  await waitFor(() => again.process.exitCode !== null, { description: 'the end of the start', limitMs: 120_000 });
  t.is(again.process.exitCode, 78, again.output);
  const { rows } = await database.pool.query('select later_title from documents order by later_title');
  t.is(rows.length, 3);
});
