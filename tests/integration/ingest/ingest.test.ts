import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import { deleteDocument } from '@sheaf/documents';
import { FileChanged } from '@sheaf/ingest';
import { uuidv7 } from '@sheaf/process';
import { markFailed } from '@sheaf/queue';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.before(() => void process.umask(0o022));
test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('documents are recorded on while a newer version adds a column to their table, also on connections that have prepared the statement', async (t) => {
  const { take, database, rows } = t.context;
  documentOf(await take('first'));
  await database.pool.query('alter table documents add column later_name text');
  documentOf(await take('second'));
  // what the trigger of the job reads is a row of the same statement
  await take('%PDF-1.7 third', { filename: 'scan.pdf', language: 'deu' });
  t.deepEqual(await rows('select ocr_language from ocr_jobs order by created_at'), [
    { ocr_language: 'auto' },
    { ocr_language: 'auto' },
    { ocr_language: 'deu' },
  ]);
});

test('a file becomes a document with its bytes, its job, its ledger row and its events', async (t) => {
  const { take, rows, owner, leftovers } = t.context;
  const document = documentOf(await take('alder notice', { filename: 'Alder.txt', language: 'deu', ocrEnabled: false }));
  t.like(document, {
    ownerId: owner.id,
    title: 'Alder',
    filename: 'Alder.txt',
    mimeType: 'text/plain',
    sizeBytes: 12,
    sha256: hashOf('alder notice'),
    status: 'pending',
    ocrLanguage: 'deu',
    ocrEnabled: false,
    source: 'upload',
  });
  t.is(await readFile(document.filePath, 'utf8'), 'alder notice');
  const jobs = await rows('select status, max_attempts from ocr_jobs where document_id = $1', document.id);
  t.deepEqual(jobs, [{ status: 'pending', max_attempts: 4 }]);
  const ledger = await rows('select route, path, state, reason, sha256, document_id from ingest_ledger');
  t.deepEqual(ledger, [
    { route: 'upload', path: 'Alder.txt', state: 'ingested', reason: null, sha256: document.sha256, document_id: document.id },
  ]);
  const events = await rows('select type, owner_id from events order by id');
  t.deepEqual(events, [
    { type: 'document_created', owner_id: owner.id },
    { type: 'ingest', owner_id: owner.id },
  ]);
  t.deepEqual(await leftovers(), []);
});

test('a file is closed to others on the machine, whichever way it took to its place', async (t) => {
  for (const characters of [12, 1_000_000]) {
    const { filePath } = documentOf(await t.context.take('a'.repeat(characters)));
    t.is((await stat(filePath)).mode & 0o777, 0o640, `${characters} characters`);
  }
});

test('wishes that come behind the file go before the others', async (t) => {
  const labelId = uuidv7();
  await t.context.rows("insert into labels (id, name, color) values ($1, 'Invoices', '#00ff00')", labelId);
  const result = await t.context.take('text', { title: 'early', deferredOptions: async () => ({ title: 'late', labelIds: [labelId] }) });
  t.is(result.outcome === 'ingested' ? result.document.title : '', 'late');
  t.is(await t.context.count('document_labels where label_id = $1', labelId), 1);
});

test('a label that does not exist refuses the whole file', async (t) => {
  await t.throwsAsync(t.context.take('text', { labelIds: [uuidv7()] }), { code: 'VALIDATION_ERROR' });
  t.is(await t.context.count('documents'), 0);
  t.deepEqual(await t.context.leftovers(), []);
});

test('the same content of the same owner is a duplicate', async (t) => {
  const first = documentOf(await t.context.take('text'));
  const second = await t.context.take('text', { filename: 'other.txt' });
  t.deepEqual(second, { outcome: 'duplicate', documentId: first.id, requeued: false });
  t.is(await t.context.count('documents'), 1);
  t.is(await t.context.count("ingest_ledger where state = 'duplicate' and document_id = $1", first.id), 1);
});

test('the same content of another owner is another document over one stored object', async (t) => {
  const other = await givenUser(t.context.db);
  await t.context.take('text');
  t.is((await t.context.take('text', { ownerId: other.id })).outcome, 'ingested');
  t.is((await t.context.stored()).length, 1);
});

test('ten uploads of the same content at once make one document and nine duplicates', async (t) => {
  const results = await Promise.all(Array.from({ length: 10 }, () => t.context.take('text')));
  t.deepEqual(results.map((result) => result.outcome).toSorted(), [...Array(9).fill('duplicate'), 'ingested']);
  t.is(await t.context.count('documents'), 1);
  t.is(await t.context.count('ocr_jobs'), 1);
});

test('a duplicate of a failed document is queued again', async (t) => {
  const first = documentOf(await t.context.take('text'));
  const { id } = first;
  await markFailed(t.context.db, id, 'corrupt', 'damaged');
  await t.context.rows("update ocr_jobs set status = 'failed', attempts = 4");
  t.deepEqual(await t.context.take('text'), { outcome: 'duplicate', documentId: id, requeued: true });
  t.is(await t.context.count("documents where status = 'pending' and error_code is null"), 1);
  t.is(await t.context.count("ocr_jobs where status = 'pending' and attempts = 0"), 1);
});

test('a refused file is in the ledger with its reason and nowhere else', async (t) => {
  const { take, rows, stored, leftovers, count } = t.context;
  const refusals = [
    await take('x'.repeat(2_000), { maxBytes: 1_999 }),
    await take(''),
    await take('text', { filename: 'program.exe' }),
    await take('text', { filename: 'noextension' }),
    await take('text', { filename: 'table.xls' }),
    await take('text', { filename: 'paper.pdf' }),
    await take('{\\rtf1 letter}', { filename: 'letter.doc' }),
  ];
  t.deepEqual(
    refusals.map((result) => (result.outcome === 'refused' ? result.reason : result.outcome)),
    ['too_large', 'empty', 'unknown_type', 'unknown_type', 'type_not_allowed', 'type_mismatch', 'type_mismatch'],
  );
  const ledger = await rows('select path, state, reason_code, reason_details from ingest_ledger order by created_at, id');
  t.is(ledger.length, 7);
  t.deepEqual(ledger.at(-1), {
    path: 'letter.doc',
    state: 'ignored',
    reason_code: 'type_mismatch',
    reason_details: { filename: 'letter.doc', declared_type: 'doc', found: 'an RTF document' },
  });
  t.is(await count('documents'), 0);
  t.deepEqual(await stored(), []);
  t.deepEqual(await leftovers(), []);
});

test('a file of exactly the allowed size is taken', async (t) => {
  t.is((await t.context.take('x'.repeat(2_000), { maxBytes: 2_000 })).outcome, 'ingested');
});

test('after a refusal the body is still open, for the caller to drain', async (t) => {
  const body = Readable.from(Array.from({ length: 10 }, () => Buffer.alloc(1_000, 'x')));
  t.is((await t.context.take(body, { maxBytes: 1_500 })).outcome, 'refused');
  t.false(body.destroyed);
});

test('a body that breaks leaves nothing behind but its line in the ledger', async (t) => {
  const broken = () =>
    Readable.from(
      (async function* () {
        yield Buffer.from('first half');
        throw new Error('connection reset');
      })(),
    );
  await t.throwsAsync(t.context.take(broken()), { code: 'INCOMPLETE_FILE' });

  const destroyed = new Readable({ read() {} });
  destroyed.push('first half');
  setImmediate(() => destroyed.destroy());
  await t.throwsAsync(t.context.take(destroyed), { code: 'INCOMPLETE_FILE' });

  const before = new Readable({ read() {} });
  before.destroy();
  await t.throwsAsync(t.context.take(before), { code: 'INCOMPLETE_FILE' });

  t.is(await t.context.count("ingest_ledger where state = 'failed'"), 3);
  t.deepEqual(await t.context.leftovers(), []);
  t.deepEqual(await t.context.stored(), []);
});

test('an aborted ingest leaves nothing behind', async (t) => {
  const abort = new AbortController();
  const body = Readable.from(
    (async function* () {
      yield Buffer.from('first half');
      abort.abort();
      yield Buffer.from('second half');
    })(),
  );
  await t.throwsAsync(t.context.take(body, { signal: abort.signal }), { name: 'AbortError' });
  t.is(await t.context.count('documents'), 0);
  t.deepEqual(await t.context.leftovers(), []);
});

test('a file that changed while it was read is neither stored nor refused', async (t) => {
  const changed = { confirm: async () => false };
  await t.throwsAsync(t.context.take('text', changed), { instanceOf: FileChanged });
  await t.throwsAsync(t.context.take('text', { ...changed, maxBytes: 1 }), { instanceOf: FileChanged });
  await t.throwsAsync(t.context.take('', changed), { instanceOf: FileChanged });
  t.is(await t.context.count('ingest_ledger'), 0);
});

test('hostile names are kept for display and are no paths', async (t) => {
  const names = [
    'line\nbreak\ttab.txt',
    'invoice\u202Egpj.txt',
    '📄🧾 receipt.txt',
    `${'ü'.repeat(124)}1.txt`,
    '<img src=x onerror=alert(1)>.txt',
  ];
  for (const [i, filename] of names.entries()) {
    const result = await t.context.take(`text ${i}`, { filename });
    t.is(result.outcome === 'ingested' ? result.document.filename : '', filename);
  }
  const cleaned = { '../../outside.txt': 'outside.txt', 'nul\0byte.txt': 'nulbyte.txt', ['Größe.txt'.normalize('NFD')]: 'Größe.txt' };
  for (const [filename, expected] of Object.entries(cleaned)) {
    const result = await t.context.take(filename, { filename });
    t.is(result.outcome === 'ingested' ? result.document.filename : '', expected);
  }
});

test('bytes are in storage before the document is in the database', async (t) => {
  const { take, deps } = t.context;
  let putWhileDocuments = -1;
  const storage = changedStorage(deps.storage, {
    put: async (key, source) => {
      const put = await deps.storage.put(key, source);
      putWhileDocuments = await t.context.count('documents');
      return put;
    },
  });
  await take('text', {}, { storage });
  t.is(putWhileDocuments, 0);
});

test('a storage that is full is an error of the service, and nothing is recorded but that', async (t) => {
  const storage = changedStorage(t.context.deps.storage, {
    put: () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'The storage is full')),
  });
  await t.throwsAsync(t.context.take('text', {}, { storage }), { code: 'SERVICE_UNAVAILABLE' });
  t.deepEqual(await t.context.rows('select state, reason_code, reason_details from ingest_ledger'), [
    { state: 'failed', reason_code: 'storage_away', reason_details: { error: 'The storage is full' } },
  ]);
  t.is(await t.context.count('documents'), 0);
  t.deepEqual(await t.context.leftovers(), []);
});

test('a watched file that is touched stays one row and one document', async (t) => {
  const watched = { route: 'watch', ledgerPath: 'in/note.txt' } as const;
  const first = documentOf(await t.context.take('text', { ...watched, modifiedAt: new Date(1_000) }));
  const again = await t.context.take('text', { ...watched, modifiedAt: new Date(2_000) });
  t.deepEqual(again, { outcome: 'duplicate', documentId: first.id, requeued: false });
  const rows = await t.context.rows('select state, reason, modified_at from ingest_ledger');
  t.deepEqual(rows, [{ state: 'ingested', reason: null, modified_at: new Date(2_000) }]);
  t.is(await t.context.count("events where type = 'ingest'"), 1, 'nothing new has happened to it');
});

test('a touch does not bring back a document that was deleted, other bytes do make a new one', async (t) => {
  const watched = { route: 'watch', ledgerPath: 'in/note.txt' } as const;
  const first = documentOf(await t.context.take('text', watched));
  await deleteDocument(t.context.db, first.id);
  t.deepEqual(await t.context.take('text', watched), { outcome: 'duplicate', documentId: null, requeued: false });
  t.deepEqual(await t.context.take('text', watched), { outcome: 'duplicate', documentId: null, requeued: false });
  t.is((await t.context.take('new text', watched)).outcome, 'ingested');
  t.is((await t.context.take('text', { ...watched, ledgerPath: 'in/copy.txt' })).outcome, 'ingested');
});
