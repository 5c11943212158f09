import { complete, fail } from '@sheaf/ocr-worker/testing';
import { claimJob, getJobDocument } from '@sheaf/queue';
import { givenUser } from '@sheaf/testkit';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { text } from '../../support/messages.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { startApi } from '../../support/running-api.ts';
import { openIngestBench } from '../ingest/fixture.ts';

const openBench = async () => {
  const bench = await openIngestBench();
  const { db, take } = bench;
  return {
    ...bench,
    rows: bench.rows as (statement: string, ...values: readonly unknown[]) => Promise<Record<string, unknown>[]>,
    given: (filename: string, text: string, route: 'upload' | 'watch', modifiedAt = new Date('2026-01-01T00:00:00Z')) =>
      take(text, { filename, ledgerPath: filename, route, ...(route === 'upload' ? {} : { modifiedAt }) }),
    claim: async () => {
      const job = await claimJob(db, 'worker', 60_000);
      const document = job && (await getJobDocument(db, job));
      if (job === undefined || document === undefined) throw new Error('there is a job');
      return { job, document };
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
};

const SETTINGS = { retryDelayMs: 1, confidenceThreshold: 0.6, notifications: TOLD_HERE };

test('the owner is told that their document was read, and whether its text is doubtful', async (t) => {
  await using fixture = await openBench();
  const { db, rows, owner, given, claim } = fixture;
  await given('plain.txt', 'alder', 'upload');
  const first = await claim();
  await rows(
    `insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'alder', 1, 'text')`,
    first.document.id,
  );
  t.is(await complete(db, first.job, first.document, SETTINGS, [], {}), 'completed');
  const [plain] = await rows('select * from notifications');
  t.like(plain, { user_id: owner.id, type: 'ocr_completed', message: 'plain is searchable.' });
  t.like(plain?.['data'], { document_id: first.document.id, needs_attention: false });

  await given('faint.txt', 'birch', 'upload');
  const second = await claim();
  await rows(
    `insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'birch', 0.45, 'ocr')`,
    second.document.id,
  );
  await complete(db, second.job, second.document, SETTINGS, [], {});
  const [doubtful] = await rows(`select * from notifications where data->>'needs_attention' = 'true'`);
  t.regex(String(doubtful?.['message']), /^faint is searchable\. Low OCR quality \(confidence 45 %\)/);
});

test('the owner is told once that their document cannot be read, and not of tries that are made again', async (t) => {
  await using fixture = await openBench();
  const { db, rows, given, claim } = fixture;
  await given('a.txt', 'alder', 'upload');
  const first = await claim();
  t.is(await fail(db, first.job, first.document, { reason: 'internal' }, SETTINGS), 'retried');
  t.deepEqual(await rows('select from notifications'), []);
  await rows('update ocr_jobs set due_at = now()');
  const second = await claim();
  t.is(await fail(db, second.job, second.document, { reason: 'encrypted' }, SETTINGS), 'failed');
  const told = await rows('select type, message, data from notifications');
  t.is(told.length, 1);
  t.like(told[0], { type: 'ocr_failed', data: { document_id: first.document.id } });
  t.regex(String(told[0]?.['message']), /^a: .+/);
});

test('nobody is told where notifications are disabled', async (t) => {
  await using fixture = await openBench();
  const { db, rows, given, claim } = fixture;
  await given('a.txt', 'alder', 'upload');
  const { job, document } = await claim();
  await fail(db, job, document, { reason: 'encrypted' }, { ...SETTINGS, notifications: { ...TOLD_HERE, enabled: false } });
  t.deepEqual(await rows(`select from notifications union all select from events where type = 'notification'`), []);
});

test('a watched file that exists already is reported once, an uploaded one is answered', async (t) => {
  await using fixture = await openBench();
  const { rows, given } = fixture;
  await given('a.txt', 'alder', 'upload');
  await given('b.txt', 'alder', 'upload');
  t.deepEqual(await rows('select from notifications'), []);
  const first = new Date('2026-01-01T00:00:00Z');
  await given('c.txt', 'alder', 'watch', first);
  await given('c.txt', 'alder', 'watch', new Date('2026-01-02T00:00:00Z')); // touched
  const told = await rows('select type, title, message, data from notifications');
  t.is(told.length, 1);
  t.like(told[0], { type: 'duplicate_skipped', title: 'Duplicate file skipped', message: `c.txt: ${text('errors.duplicate_file')}` });
  t.like(told[0]?.['data'], { filename: 'c.txt', route: 'watch', reason: 'duplicate_file' });
  await given('d.txt', 'alder', 'watch', first);
  t.deepEqual(await rows('select title from notifications'), [{ title: '2 duplicate files skipped' }]);
});

test('users are notified of what concerns the security of their accounts', async (t) => {
  const api = await startApi();
  try {
    const { admin, anyone, database } = api;
    const titles = async (): Promise<string[]> =>
      (await database.pool.query<{ title: string }>(`select title from notifications where type = 'security' order by id`)).rows.map(
        ({ title }) => title,
      );
    await admin.post('/api/keys', { name: 'scanner', scope: ['documents.create'] });
    await admin.send('PUT', '/api/users/profile', { display_name: 'Admin' });
    await admin.send('PUT', '/api/users/profile', { email: 'new@example.org', password: 'correct horse battery' });
    await admin.post('/api/users/change-password', { current_password: 'wrong', new_password: 'correct horse staple' });
    t.deepEqual(await titles(), [
      text('notifications.security.key.created', { name: 'scanner' }),
      text('notifications.security.user.updated'),
    ]);
    for (let n = 0; n < 6; n += 1) await anyone.post('/api/auth/login', { username: 'admin', password: 'wrong' });
    t.deepEqual((await titles()).slice(2), [text('notifications.security.sign_in')]);
  } finally {
    await api.stop();
  }
});

test('mail about a changed address goes to the former one, also where an administrator changed it', async (t) => {
  const api = await startApi({
    EMAIL_ENABLED: 'true',
    SMTP_HOST: '127.0.0.1',
    SMTP_USERNAME: 'sheaf',
    SMTP_PASSWORD: 'secret',
    SMTP_FROM_ADDRESS: 'sheaf@example.org',
  });
  try {
    const { admin, database } = api;
    const { email } = (await admin.get('/api/users/profile')).body as unknown as { email: string };
    await admin.send('PUT', '/api/users/profile', { email: 'new@example.org', password: 'correct horse battery' });
    t.deepEqual((await database.pool.query('select recipient from deliveries')).rows, [{ recipient: email }]);
    const other = await givenUser(database.db, { username: 'alder' });
    const notices = async () =>
      (await database.pool.query('select type, title, message from notifications where user_id = $1', [other.id])).rows;
    await admin.send('PUT', `/api/users/${other.id}`, { display_name: 'Mr Alder' });
    t.deepEqual(await notices(), [], 'a name is no matter of security');
    await admin.send('PUT', `/api/users/${other.id}`, { email: 'elsewhere@example.org' });
    t.like(await notices(), [{ type: 'security', title: text('notifications.security.user.updated') }]);
    t.notRegex(String((await notices())[0]?.message), /127\.0\.0\.1|your password/, 'not he did it, and not from his address');
    t.is((await database.pool.query('select from deliveries where recipient = $1', [other.email])).rowCount, 1);
  } finally {
    await api.stop();
  }
});

fullOnly(test)('a document without a language of its own is read in that of its owner, on each route', async (t) => {
  await using fixture = await openBench();
  const { rows, given, owner, db, take } = fixture;
  await rows(`insert into user_settings (user_id, ocr_default_language) values ($1, 'deu')`, owner.id);
  await given('a.txt', 'alder', 'upload');
  await given('b.txt', 'birch', 'watch');
  await take('cedar', { filename: 'c.txt', language: 'fra' });
  const other = await givenUser(db);
  await take('elm', { filename: 'd.txt', ownerId: other.id });
  t.deepEqual(await rows('select filename, ocr_language from documents order by filename'), [
    { filename: 'a.txt', ocr_language: 'deu' },
    { filename: 'b.txt', ocr_language: 'deu' },
    { filename: 'c.txt', ocr_language: 'fra' },
    { filename: 'd.txt', ocr_language: 'eng' },
  ]);
});
