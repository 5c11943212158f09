import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DATABASE_CHECKS, runChecks } from '@sheaf/cli/testing';
import { type Db, openDatabase } from '@sheaf/db';
import { countDocuments, foldDocumentTallies } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { silentLogger, uuidv7 } from '@sheaf/process';
import { findEntryDifferences, foldTermStatistics, indexDocument, rebuildStatistics, renewEntries } from '@sheaf/search';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { givenDocument, givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';
import { runSheafHere } from '../../support/command-in-process.ts';
import { fullOnly } from '../../support/full-run.ts';
import { verifyLines } from '../../support/verify-lines.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = anyTest as TestFn<TestDatabase>;

/** As an ocr-worker does in the background. */
const renewAll = async (db: Db): Promise<void> => {
  while ((await renewEntries(db, silentLogger())) !== undefined);
};

test.beforeEach(async (t) => {
  t.context = await openTestDatabase();
  await renewAll(t.context.db);
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

/** Further connections, with what the database has been set to since. */
const openAgain = ({ url }: TestDatabase) => {
  const settings = { url, minConnections: 0, acquireTimeoutMs: 5_000, idleTimeoutMs: 60_000, maxLifetimeMs: 600_000 };
  const database = openDatabase({ ...settings, maxConnections: 2, applicationName: 'verify' }, silentLogger());
  return { ...database, [Symbol.asyncDispose]: () => database.close() };
};

type Status = 'pending' | 'processing' | 'completed' | 'failed';

const setStatus = (db: Db, id: string, status: Status) =>
  db.execute(sql`update documents set status = ${status}, error_code = ${status === 'failed' ? 'corrupt' : null} where id = ${id}`);

/** Puts documents in as a reader leaves them. */
const givenReader = async (db: Db) => {
  const owner = await givenUser(db, { role: 'admin' });
  return async (title: string, pages: readonly string[], status: Status = 'completed'): Promise<string> => {
    const { id } = await givenDocument(db, { ownerId: owner.id, title });
    await savePages(
      db,
      id,
      pages.map((content, i) => ({ page: i + 1, content, confidence: 1, origin: 'text' as const })),
    );
    await setStatus(db, id, status);
    if (status === 'completed' || status === 'failed') await indexDocument(db, id);
    return id;
  };
};

/** Gives the only document the bytes and the pages that it says. */
const givenBytes = async (db: Db, path: string): Promise<void> => {
  const bytes = Buffer.from('the bytes of a file');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') }).put(documentKey(sha256), bytes);
  await db.execute(sql`update documents set sha256 = ${sha256}, size_bytes = ${bytes.length}, page_count = 1`);
};

/** The lines that verifying writes, sorted, and the numbers at its end. */
const verify = async (db: Db, isRepair = false) => {
  const lines: string[] = [];
  const result = await runChecks(db, DATABASE_CHECKS, isRepair, { line: (text) => lines.push(text), begin: () => {}, progress: () => {} });
  return { lines: lines.toSorted(), ...result };
};

const REPAIRED = ' [repaired]';

test('an index that is right has no differences, whatever its documents are doing', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  await put('one page', ['the only page']);
  await put('pages', ['a first page', 'a second page']);
  await put('long', ['word '.repeat(40_000), 'and a page behind it']);
  await put('failed', [], 'failed');
  await put('never read', [], 'pending');
  const again = await put('read again', ['the old text']);
  await setStatus(db, again, 'processing');
  await savePages(db, again, [{ page: 1, content: 'the new text', confidence: 1, origin: 'text' }]);
  t.like(await verify(db), { found: 0, lines: [] });
  await foldTermStatistics(db);
  t.like(await verify(db), { found: 0, lines: [] });
});

test('each kind of damage is named by the id of its document, and repaired', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  const lost = await put('lost', ['without an entry']);
  const lostFailed = await put('lost and failed', [], 'failed');
  const retitled = await put('old title', ['title changed without the index']);
  const rewritten = await put('rewritten', ['first page', 'second page']);
  const foreign = await put('foreign', ['belongs to somebody else in the index']);
  const partless = await put('partless', ['first page', 'second page']);
  await put('whole', ['nothing wrong here']);
  const gone = await put('gone', ['deleted behind the back of the database', 'with two pages']);
  const waiting = await put('waiting', ['has parts and no entry', 'two of them'], 'completed');
  await db.execute(sql`delete from document_search where document_id in (${lost}, ${lostFailed}, ${waiting})`);
  await setStatus(db, waiting, 'pending');
  await db.execute(sql`update documents set title = 'new title' where id = ${retitled}`);
  await db.execute(sql`update document_pages set content = 'another page' where document_id = ${rewritten} and page = 2`);
  await db.execute(sql`update document_search set owner_id = ${uuidv7()} where document_id = ${foreign}`);
  await db.execute(sql`delete from document_search_parts where document_id = ${partless} and page = 2`);
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`delete from documents where id = ${gone}`);
  });

  const different = 'has an outdated search entry';
  const orphan = 'has a search entry but should not';
  const expected = [
    ...[lost, lostFailed].map((id) => `search-index: document ${id}: has no search entry`),
    ...[retitled, rewritten, foreign, partless].map((id) => `search-index: document ${id}: ${different}`),
    ...[gone, waiting].map((id) => `search-index: document ${id}: ${orphan}`),
    // of the month and of all months, of what was kept and of what there is
    'document-tallies: tallies: 4 incorrect document counts',
  ].toSorted();
  const found = await verify(db);
  t.deepEqual(found, { lines: expected, found: 9, repaired: 0, outdated: 0 });
  t.deepEqual(await verify(db), found, 'verifying alone changes nothing');
  t.deepEqual(await verify(db, true), { lines: expected.map((line) => line + REPAIRED), found: 9, repaired: 9, outdated: 0 });
  t.like(await verify(db), { found: 0, lines: [] });
});

test('entries that an earlier version has written are no difference, and are renewed in the background, once', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  const ids = [await put('one', ['as it was']), await put('two', ['as it was, too'])];
  await put('right', ['as it is']);
  const lost = await put('lost', ['without an entry']);
  await db.execute(sql`update document_search set words = 'as:1' where document_id in (${ids[0]}, ${ids[1]})`);
  await db.execute(sql`delete from document_search where document_id = ${lost}`);
  await db.execute(sql`delete from search_renewals`); // as after an upgrade
  const outdated = ids.map((id) => `search-index: document ${id}: has an outdated search entry [renewed in the background]`);
  const { lines, ...counts } = await verify(db);
  t.deepEqual(counts, { found: 1, repaired: 0, outdated: 2 });
  t.deepEqual(lines, [...outdated, `search-index: document ${lost}: has no search entry`].toSorted());
  await renewAll(db);
  t.deepEqual(await verify(db), { lines: [], found: 0, repaired: 0, outdated: 0 });
  const { rows } = await db.execute(sql`select compared, renewed, finished_at is not null as is_finished from search_renewals`);
  t.deepEqual(rows, [{ compared: 4, renewed: 3, is_finished: true }]);
  await db.execute(sql`update document_search set words = 'as:1' where document_id = ${ids[0]}`);
  await renewAll(db);
  t.is((await verify(db)).found, 1, 'later it is damage');
});

test('verifying alone writes nothing also where the database has a search path of its own', async (t) => {
  const { db, name } = t.context;
  const put = await givenReader(db);
  const id = await put('old title', ['a page', 'another page']);
  await db.execute(sql`update documents set title = 'new title' where id = ${id}`);
  await db.execute(sql.raw(`alter database ${name} set search_path = "$user", public, pg_temp`));
  await using database = openAgain(t.context);
  const entry = async () => (await db.execute(sql`select entry::text from document_search as entry`)).rows;
  const before = await entry();
  t.is((await verify(database.db)).found, 1);
  t.deepEqual(await entry(), before);
  t.is((await verify(database.db, true)).repaired, 1);
  t.is((await verify(database.db)).found, 0);
});

test('statistics that are wrong are found, folded or not, and made anew', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  await put('first', ['house garden']);
  await put('second', ['house']);
  await foldTermStatistics(db);
  await put('third', ['house cellar']);
  await db.execute(sql`update search_terms set documents = documents + 5 where lexeme = 'garden'`);
  await db.execute(sql`insert into search_terms (lexeme, documents) values ('nowhere', 1)`);
  await db.execute(sql`delete from search_terms where lexeme = 'second'`);
  await db.execute(sql`delete from search_deltas`); // the third document was never counted
  const { lines, repaired } = await verify(db, true);
  t.regex(
    lines.join('\n'),
    /^search-statistics: statistics: \d+ incorrect word counts \(.*garden.*nowhere.*second.*\); incorrect totals of sheaf_english \[repaired\]$/,
  );
  t.is(repaired, 1);
  t.like(await verify(db), { found: 0, lines: [] });
});

fullOnly(test)('statistics made anew while others write are right afterwards', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  for (let i = 0; i < 30; i += 1) await put(`before ${i}`, [`common word${i}`]);
  await Promise.all([
    ...Array.from({ length: 30 }, (_, i) => put(`during ${i}`, [`common word${i} late${i}`])),
    rebuildStatistics(db),
    foldTermStatistics(db),
    rebuildStatistics(db),
  ]);
  t.like(await verify(db), { found: 0, lines: [] });
});

test('a document that somebody else holds is compared when it is free, and nobody waits for it meanwhile', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  const held = await put('held', ['in the hands of another']);
  const other = await put('other', ['free']);
  await db.execute(sql`delete from document_search where document_id in (${held}, ${other})`);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const holding = db.transaction(async (tx) => {
    await tx.execute(sql`select from documents where id = ${held} for update`);
    isHeld = true;
    await released;
  });
  await waitFor(() => isHeld || undefined, { description: 'the lock', limitMs: 20_000 });
  const found: string[] = [];
  const finding = (async () => {
    for await (const { documentId } of findEntryDifferences(db)) found.push(documentId);
  })();
  await waitFor(() => found.includes(other) || undefined, { description: 'the free document', limitMs: 20_000 });
  t.false(found.includes(held));
  release();
  await Promise.all([holding, finding]);
  t.deepEqual(found, [other, held]);
});

fullOnly(test)('2,000 documents are verified, and no trace of it is left in the index', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  const first = await put('first', ['one']);
  await db.execute(sql`
    insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, status)
    select gen_random_uuid(), owner_id, 'title ' || n, 'f.pdf', mime_type, 1, lpad(to_hex(n), 64, '0'), 'x' || n, 'eng', 'upload', 'completed'
    from documents, generate_series(1, 2000) as n where id = ${first}`);
  await db.execute(sql`
    insert into document_pages (document_id, page, content, confidence, origin)
    select id, 1, repeat('some words of a page ' || title || ' ', 20), 1, 'text' from documents where id <> ${first}`);
  t.is((await verify(db, true)).repaired, 2_000);
  const written = async (): Promise<unknown> =>
    (await db.execute(sql`select pg_relation_size('document_search') as rows, (select count(*) from search_deltas) as deltas`)).rows;
  await foldTermStatistics(db);
  const before = await written();
  t.like(await verify(db), { found: 0 });
  t.deepEqual(await written(), before);
});

test('bin/sheaf verify names, repairs, and ends with 1 while a difference is left and 0 when none is', async (t) => {
  const { db, url } = t.context;
  const put = await givenReader(db);
  const id = await put('lost', ['without an entry']);
  await db.execute(sql`delete from document_search`);
  await using folder = await makeServiceFolder();
  await givenBytes(db, join(folder.path, 'uploads'));
  const run = async (...args: string[]) => {
    const env = {
      PATH: '/usr/bin:/bin',
      DATA_PATH: join(folder.path, 'data'),
      UPLOAD_PATH: join(folder.path, 'uploads'),
      DATABASE_URL: url.reveal(),
    };
    const { status, stdout, stderr } = await runSheafHere(['verify', ...args], env);
    return { status, lines: verifyLines(stdout), stderr };
  };
  const line = `search-index: document ${id}: has no search entry`;
  t.deepEqual(await run(), { status: 1, lines: [line, 'not verified: 1 difference, 0 repaired'], stderr: '' });
  t.deepEqual(await run('--repair'), { status: 0, lines: [`${line} [repaired]`, 'verified: 1 difference, 1 repaired'], stderr: '' });
  t.deepEqual(await run(), { status: 0, lines: ['verified: no differences'], stderr: '' });
});

test('tallies that are wrong are told and made anew, folded or not', async (t) => {
  const { db } = t.context;
  const put = await givenReader(db);
  const id = await put('one', ['text']);
  await put('two', ['text']);
  await db.execute(sql`insert into labels (id, name, color) values (${uuidv7()}, 'tax', '#112233')`);
  await db.execute(sql`insert into document_labels (document_id, label_id) select ${id}, id from labels`);
  t.like(await verify(db), { found: 0, lines: [] });
  await foldDocumentTallies(db);
  t.like(await verify(db), { found: 0, lines: [] });

  await db.execute(sql`update document_tallies set documents = documents + 3 where label_id is not null and month is null`);
  await db.execute(
    sql`insert into document_tally_deltas (month, owner_id, status, documents) select '2020-01-01', owner_id, 'failed', 1 from documents limit 1`,
  );
  t.deepEqual((await verify(db)).lines, ['document-tallies: tallies: 4 incorrect document counts']);
  t.like(await verify(db, true), { found: 1, repaired: 1 });
  t.like(await verify(db), { found: 0, lines: [] });
  t.is(await countDocuments(db), 2);
});
