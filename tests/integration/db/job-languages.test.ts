import type { Db } from '@sheaf/db';
import { claimJob, hasMoreUrgent, hasRival, listLanguagesWithoutHost, queueReading, recordOcrHost, setHostDrained } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import anyTest, { type TestFn } from 'ava';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { fullOnly } from '../../support/full-run.ts';

const LEASE_MS = 60_000;
const test = anyTest as TestFn<Awaited<ReturnType<typeof openTestDatabase>> & { ownerId: string }>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  t.context = Object.assign(database, { ownerId: (await givenUser(database.db, { role: 'editor' })).id });
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

type Fields = Partial<Parameters<typeof givenDocument>[1]>;

const queue = async (
  { db, ownerId }: { readonly db: Db; readonly ownerId: string },
  ocrLanguage: string,
  { priority = 'normal', ...fields }: Fields & { readonly priority?: JobPriority } = {},
): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId, ocrLanguage, ...fields });
  await enqueueJob(db, { documentId: id, maxAttempts: 3, priority });
  return id;
};

/** The document that a worker of `host` claims, which has said which languages it has. */
const claimOn = async (db: Db, host: string, languages: readonly string[]): Promise<string | undefined> =>
  (await claimJob(db, `${host}:1:1`, LEASE_MS, { host, languages }))?.documentId;

const silence = (db: Db, host: string, interval: string): Promise<unknown> =>
  db.execute(sql`update ocr_hosts set seen_at = now() - ${interval}::interval where host = ${host}`);

test('a job goes to a host that has all of its languages, and others take what is behind it', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  await recordOcrHost(db, 'beta', ['deu', 'eng']);
  const german = await queue(t.context, 'deu', { priority: 'urgent' });
  const both = await queue(t.context, 'eng+deu', { priority: 'high' });
  const english = await queue(t.context, 'eng');
  t.is(await claimOn(db, 'alpha', ['eng']), english);
  t.is(await claimOn(db, 'alpha', ['eng']), undefined);
  t.is(await claimOn(db, 'beta', ['deu', 'eng']), german);
  t.is(await claimOn(db, 'beta', ['deu', 'eng']), both);
});

test('of several languages the most urgent job comes first, then the one that waits longest', async (t) => {
  const { db } = t.context;
  const first = await queue(t.context, 'fra');
  const second = await queue(t.context, 'deu');
  const third = await queue(t.context, 'eng');
  const urgent = await queue(t.context, 'pol', { priority: 'urgent' });
  const languages = ['deu', 'eng', 'fra', 'pol'];
  for (const id of [urgent, first, second, third]) t.is(await claimOn(db, 'alpha', languages), id);
});

test('a language that no host has had lately is for any host, which ends it as where there is one host alone', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  const german = await queue(t.context, 'deu');
  t.is(await claimOn(db, 'alpha', ['eng']), german);
  await recordOcrHost(db, 'beta', ['pol']);
  const polish = await queue(t.context, 'pol');
  await silence(db, 'beta', '59 minutes');
  t.is(await claimOn(db, 'alpha', ['eng']), undefined, 'beta may be back soon');
  await silence(db, 'beta', '61 minutes');
  t.is(await claimOn(db, 'alpha', ['eng']), polish);
});

test('a choice of languages goes to a host that has all, else to one that has some', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  await recordOcrHost(db, 'beta', ['deu', 'eng']);
  await recordOcrHost(db, 'gamma', ['deu', 'fra']);
  const some = await queue(t.context, 'auto:fra,pol');
  t.is(await claimOn(db, 'beta', ['deu', 'eng']), undefined);
  t.is(await claimOn(db, 'gamma', ['deu', 'fra']), some);
  const all = await queue(t.context, 'auto:deu,fra');
  t.is(await claimOn(db, 'beta', ['deu', 'eng']), undefined);
  t.is(await claimOn(db, 'gamma', ['deu', 'fra']), all);
  const any = await queue(t.context, 'auto');
  t.is(await claimOn(db, 'alpha', ['eng']), any);
});

test('what needs no OCR goes to any host', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'beta', ['deu']);
  const text = await queue(t.context, 'deu', { mimeType: 'text/plain' });
  const disabled = await queue(t.context, 'deu', { ocrEnabled: false });
  t.is(await claimOn(db, 'alpha', ['eng']), text);
  t.is(await claimOn(db, 'alpha', ['eng']), disabled);
});

test('a document that is to be processed in another language waits for a host that has that one', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  await recordOcrHost(db, 'beta', ['deu']);
  const id = await queue(t.context, 'eng');
  await queueReading(db, [id], { maxAttempts: 3, language: 'deu' });
  t.is(await claimOn(db, 'alpha', ['eng']), undefined);
  t.is(await claimOn(db, 'beta', ['deu']), id);
});

test('a document is not restored for one that its host does not take', async (t) => {
  const { db } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  await recordOcrHost(db, 'beta', ['deu']);
  await queue(t.context, 'eng');
  const job = await claimJob(db, 'alpha:1:1', LEASE_MS, { host: 'alpha', languages: ['eng'] });
  if (job === undefined) return t.fail();
  await queue(t.context, 'deu', { priority: 'urgent' });
  t.false(await hasRival(db, job, ['eng']));
  t.false(await hasMoreUrgent(db, job, ['eng']));
  t.true(await hasMoreUrgent(db, job, ['deu', 'eng']));
  await queue(t.context, 'eng');
  t.true(await hasRival(db, job, ['eng']));
  t.false(await hasMoreUrgent(db, job, ['eng']));
});

test('languages that documents wait for are named while no host that runs and takes jobs has them, and those that documents failed for', async (t) => {
  const { db, pool } = t.context;
  await recordOcrHost(db, 'alpha', ['eng']);
  await recordOcrHost(db, 'beta', ['deu']);
  await queue(t.context, 'deu');
  await setHostDrained(db, 'beta', true);
  t.deepEqual(await listLanguagesWithoutHost(db), [], 'it waits for a moment only');
  await pool.query(`update ocr_jobs set due_at = now() - interval '2 minutes'`);
  t.deepEqual(await listLanguagesWithoutHost(db), ['deu']);
  await setHostDrained(db, 'beta', false);
  t.deepEqual(await listLanguagesWithoutHost(db), []);
  await silence(db, 'beta', '2 minutes');
  t.deepEqual(await listLanguagesWithoutHost(db), ['deu']);
  await givenDocument(db, { ownerId: t.context.ownerId, ocrLanguage: 'pol', status: 'failed', errorCode: 'language_missing' });
  await givenDocument(db, { ownerId: t.context.ownerId, ocrLanguage: 'eng', status: 'failed', errorCode: 'language_missing' });
  t.deepEqual(await listLanguagesWithoutHost(db), ['deu', 'pol']);
});

fullOnly(test)('a claim looks at one job of each language, however many wait in those that its host lacks', async (t) => {
  const { db, pool, ownerId } = t.context;
  await recordOcrHost(db, 'beta', ['deu']);
  await db.execute(sql`
    with made as (
      insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
      select gen_random_uuid(), ${ownerId}::uuid, 'Title', 'a.pdf', 'application/pdf', 1, lpad(i::text, 64, '0'), '/nowhere', 'deu', 'upload'
      from generate_series(1, 20000) as i returning id)
    insert into ocr_jobs (id, document_id, max_attempts) select id, id, 3 from made`);
  const english = await queue(t.context, 'eng');
  await pool.query('analyze ocr_jobs');
  const asked: SQL[] = [];
  const execute = (query: SQL): Promise<{ rows: never[] }> => {
    asked.push(query);
    return Promise.resolve({ rows: [] });
  };
  await claimJob({ execute } as unknown as Db, 'alpha:1:1', LEASE_MS, { host: 'alpha', languages: ['eng'] });
  t.is(asked.length, 1);
  const { sql: text, params } = new PgDialect().sqlToQuery(asked[0] as SQL);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers, costs off, timing off) ${text}`, params);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  t.notRegex(plan, /Seq Scan on ocr_jobs/, plan);
  t.regex(plan, /Index Scan using ocr_jobs_language_due_idx/, plan);
  const buffers = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]);
  t.true(buffers < 1_000, plan);
  const { rows: claimed } = await pool.query(`select document_id from ocr_jobs where status = 'processing'`);
  t.deepEqual(claimed, [{ document_id: english }]);
});
