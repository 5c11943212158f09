import { correspondents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { uuidv7 } from '@sheaf/process';
import { givenDocument, givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { FACTS_VERSION } from '@sheaf/vocabulary/facts';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';

const TEXT = 'Northwind Trading Ltd.\nInvoice date: 17 May 2024\nTotal due GBP 1,200.00';

/** Completed documents of one user, as a version left them that found no facts. */
const givenLibrary = async (database: TestDatabase, count: number) => {
  const { db } = database;
  const { id: ownerId } = await givenUser(db, { role: 'editor' });
  const correspondentId = uuidv7();
  await db.insert(correspondents).values({ id: correspondentId, name: 'Northwind Trading Ltd.', createdBy: ownerId });
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await givenDocument(db, { ownerId, status: 'completed', completedAt: new Date('2026-01-02') });
    await savePages(db, id, [{ page: 1, content: TEXT, confidence: 1, origin: 'text' }]);
    ids.push(id);
  }
  return { ids, correspondentId };
};

const open = async () => {
  const database = await openTestDatabase();
  const folder = await makeServiceFolder();
  const env = { PATH: process.env['PATH'], DATA_PATH: folder.path, DATABASE_URL: database.url.reveal() };
  const run = (...args: readonly string[]) => runSheafHere(['facts', ...args], env);
  const rows = async (query: string): Promise<Record<string, unknown>[]> =>
    (await database.pool.query<Record<string, unknown>>(query)).rows;
  return { database, run, rows };
};

const FILED = 'select document_date::text, correspondent_id, facts_found_at is not null as found from documents order by id';

test('documents that are there get facts, once, without being processed again', async (t) => {
  const { database, run, rows } = await open();
  await using _database = database;
  const { ids, correspondentId } = await givenLibrary(database, 3);
  const tried = await run('--dry-run', '--json');
  t.is(tried.status, 0, tried.stderr);
  t.like(JSON.parse(tried.stdout), { documents: 3, changed: 3, failed: 0, dry_run: true });
  t.is((await rows('select from document_facts')).length, 0);
  t.deepEqual(
    await rows(FILED),
    Array.from({ length: 3 }, () => ({ document_date: null, correspondent_id: null, found: false })),
  );

  const { status, stdout } = await run();
  t.is(status, 0);
  t.true(ids.every((id) => stdout.includes(id)));
  t.deepEqual(
    await rows(FILED),
    Array.from({ length: 3 }, () => ({ document_date: '2024-05-17', correspondent_id: correspondentId, found: true })),
  );
  t.like((await rows("select data -> 'changes' as changes from events where type = 'document_updated' limit 1"))[0], {
    changes: { document_date: '2024-05-17', correspondent: { name: 'Northwind Trading Ltd.' } },
  });
  t.is((await rows('select from ocr_jobs')).length, 0);

  t.like(JSON.parse((await run('--json')).stdout), { documents: 0, changed: 0 });
  t.like(JSON.parse((await run('--json', '--all')).stdout), { documents: 3, changed: 0, failed: 0 });
});

test('facts of an earlier version are found again without being asked for, and those of this one are not', async (t) => {
  const { database, run, rows } = await open();
  await using _database = database;
  const { ids } = await givenLibrary(database, 3);
  await run();
  await rows(`update documents set facts_version = null where id = '${String(ids[0])}'`);
  await rows(`update documents set facts_version = ${FACTS_VERSION - 1} where id = '${String(ids[1])}'`);
  t.like(JSON.parse((await run('--dry-run', '--json', '--all')).stdout), { documents: 3 }, 'each once');
  t.like(JSON.parse((await run('--json')).stdout), { documents: 2, changed: 0, failed: 0 });
  t.deepEqual(await rows('select distinct facts_version as version from documents'), [{ version: FACTS_VERSION }]);
  t.like(JSON.parse((await run('--json')).stdout), { documents: 0 });
});

test('what people have set stays, and one document can be named', async (t) => {
  const { database, run, rows } = await open();
  await using _database = database;
  const { ids } = await givenLibrary(database, 2);
  await rows("update documents set document_date = '2020-01-01', confirmed_fields = '{document_date,correspondent}'");
  t.like(JSON.parse((await run('--json', '--document', String(ids[0]))).stdout), { documents: 1, changed: 0 });
  t.deepEqual(await rows(FILED), [
    { document_date: '2020-01-01', correspondent_id: null, found: true },
    { document_date: '2020-01-01', correspondent_id: null, found: false },
  ]);
});

test('a document that does not exist is a failure, and a wrong ID a usage error', async (t) => {
  const { database, run } = await open();
  await using _database = database;
  t.is((await run('--document', uuidv7())).status, 1);
  t.is((await run('--document', 'first')).status, 2);
  t.is((await run('--all', '--document', uuidv7())).status, 2);
});
