import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { deleteDocument, lockDocumentAndJob } from '@sheaf/documents';
import { ingestVersion } from '@sheaf/ingest';
import { markFailed } from '@sheaf/queue';
import { forgetVersions, updateSource } from '@sheaf/sources';
import anyTest, { type TestFn } from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { text } from '../../support/messages.ts';
import { openSyncBench, type SyncBench } from './fixture.ts';

const test = anyTest as TestFn<SyncBench>;

test.beforeEach(async (t) => {
  t.context = await openSyncBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const documents = ({ rows }: SyncBench) =>
  rows(
    'select id, title, filename, sha256, status, source, source_id, file_path, source_removed_at, version from documents order by created_at',
  );
const reasonOf = async ({ rows }: SyncBench, path: string) =>
  (await rows('select reason_code, reason_details from ingest_ledger where path = $1', path))[0];
const ledger = ({ rows }: SyncBench) => rows('select path, state, reason from ingest_ledger order by path');
const files = ({ rows }: SyncBench) => rows('select path, state, document_id, removed_at from source_files order by path');

test('the first run imports every file, with its bytes, job, ledger and memory', async (t) => {
  const { put, addSource, run, rows } = t.context;
  await put('a.txt', 'alder');
  await put('deep/er/b.txt', 'birch');
  const id = await addSource();
  t.like(await run(id), { state: 'completed', processed: 2, total: 2, added: 2, skipped: 0, failed: 0, bytes: 10, error: null });
  const found = await documents(t.context);
  t.deepEqual(found.map(({ title }) => String(title)).toSorted(), ['a', 'b']);
  for (const { source, source_id, status } of found)
    t.deepEqual({ source, source_id, status }, { source: 'webdav', source_id: id, status: 'pending' });
  t.is(await readFile(String(found.find(({ title }) => title === 'b')?.['file_path']), 'utf8'), 'birch');
  t.is((await rows('select from ocr_jobs')).length, 2);
  t.deepEqual(await ledger(t.context), [
    { path: 'a.txt', state: 'ingested', reason: null },
    { path: 'deep/er/b.txt', state: 'ingested', reason: null },
  ]);
  t.deepEqual(
    (await files(t.context)).map(({ path, state, removed_at }) => ({ path, state, removed_at })),
    [
      { path: 'a.txt', state: 'ingested', removed_at: null },
      { path: 'deep/er/b.txt', state: 'ingested', removed_at: null },
    ],
  );
  const events = await rows('select type, count(*)::int as n from events group by type order by type');
  t.deepEqual(
    events.map(({ type }) => type),
    ['document_created', 'ingest', 'notification', 'sync_progress'],
  );
});

test('a second run of an unchanged source fetches nothing, writes nothing of its files and tells nobody', async (t) => {
  const { put, addSource, run, rows, downloads } = t.context;
  for (let n = 0; n < 30; n += 1) await put(`f${n}.txt`, `file ${n}`);
  const id = await addSource();
  await run(id);
  const before = await rows('select *, xmin::text from source_files order by id');
  const [fetched, told] = [downloads(), (await rows('select from notifications')).length];
  t.like(await run(id, 'schedule'), { state: 'completed', processed: 30, total: 30, skipped: 30, added: 0, updated: 0 });
  t.is(downloads(), fetched);
  t.deepEqual(await rows('select *, xmin::text from source_files order by id'), before);
  t.is((await rows('select from notifications')).length, told);
});

test('a changed file puts its contents under the same document, which is read again and keeps its title and its text until then', async (t) => {
  const { put, addSource, run, rows } = t.context;
  await put('a.txt', 'first');
  const id = await addSource();
  await run(id);
  const [before] = await documents(t.context);
  await rows("update documents set title = 'Mine', status = 'completed' where id = $1", before?.['id']);
  await rows(
    "insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'first', 1, 'text')",
    before?.['id'],
  );
  await rows("update ocr_jobs set status = 'completed'");

  await put('a.txt', 'second version');
  t.like(await run(id), { state: 'completed', updated: 1, added: 0 });
  const [after, ...others] = await documents(t.context);
  t.deepEqual(others, []);
  t.like(after, { id: before?.['id'], title: 'Mine', status: 'pending' });
  t.not(after?.['sha256'], before?.['sha256']);
  t.is(await readFile(String(after?.['file_path']), 'utf8'), 'second version');
  t.deepEqual(await rows('select status from ocr_jobs'), [{ status: 'pending' }]);
  t.deepEqual(await rows('select content, is_stale from document_pages'), [{ content: 'first', is_stale: true }]);
  t.like(after, { version: 2 });
  t.is(await readFile(String(before?.['file_path']), 'utf8'), 'first', 'the bytes from before are those of an earlier version');
  t.like(await rows('select version, sha256, source from document_versions'), [
    { version: 1, sha256: before?.['sha256'], source: 'webdav' },
  ]);
  t.deepEqual(await rows('select version, content from document_version_pages'), [{ version: 1, content: 'first' }]);
  t.like((await rows("select data from events where type = 'document_updated'"))[0], { data: { changes: { status: 'pending' } } });
});

fullOnly(test)('contents that a file had before and has again are another version of its document', async (t) => {
  const { put, addSource, run, rows } = t.context;
  await put('a.txt', 'first');
  const id = await addSource();
  await run(id);
  await put('a.txt', 'second version');
  await run(id);
  await put('a.txt', 'first');
  t.like(await run(id), { updated: 1, added: 0 });
  t.like(await rows('select version from documents'), [{ version: 3 }]);
  t.deepEqual(
    (await rows('select version from document_versions order by version')).map(({ version }) => version),
    [1, 2],
  );
});

fullOnly(test)(
  'a file that is what it was, under whose document somebody put another file, brings nothing back when it is touched or moved',
  async (t) => {
    const { put, move, addSource, run, rows, deps, owner } = t.context;
    await put('a.txt', 'first');
    const id = await addSource();
    await run(id);
    const [before] = await documents(t.context);
    const documentId = String(before?.['id']);
    const replaced = await ingestVersion(
      {
        route: 'upload',
        filename: 'mine.txt',
        ledgerPath: 'mine.txt',
        ownerId: owner.id,
        body: Readable.from([Buffer.from('mine by now')]),
        maxBytes: 1_000,
        allowedExtensions: ['txt'],
        documentId,
        lock: async (tx) => {
          const document = await lockDocumentAndJob(tx, documentId);
          if (document === undefined) throw new Error('it is gone');
          return document;
        },
        onReplaced: () => Promise.resolve(),
      },
      deps.ingest,
    );
    t.is(replaced.outcome, 'replaced');
    await put('a.txt', 'first');
    await rows("update source_files set etag = 'before', modified_at = null");
    t.like(await run(id), { added: 0, updated: 0, removed: 0 });
    await move('a.txt', 'b.txt');
    t.like(await run(id), { added: 0, updated: 0, moved: 1 });
    t.like(await documents(t.context), [{ id: documentId, version: 2 }]);
    t.like(await files(t.context), [{ path: 'b.txt', state: 'ingested', document_id: documentId, removed_at: null }]);
    await put('b.txt', 'changed at its source');
    t.like(await run(id), { added: 1, updated: 0 }, 'what somebody uploaded does not change with the file');
  },
);

fullOnly(test)('what is also an upload of somebody does not change with the file; that becomes a document of its own', async (t) => {
  const { put, addSource, run, rows } = t.context;
  await put('a.txt', 'first');
  const id = await addSource();
  await run(id);
  const [first] = await documents(t.context);
  await rows(
    "insert into ingest_ledger (id, route, path, owner_id, state, document_id) values (gen_random_uuid(), 'upload', 'mine.txt', $1, 'duplicate', $2)",
    t.context.owner.id,
    first?.['id'],
  );
  await put('a.txt', 'second version');
  t.like(await run(id), { added: 1, updated: 0 });
  t.deepEqual(
    (await documents(t.context)).map(({ sha256 }) => sha256 === first?.['sha256']),
    [true, false],
  );
});

fullOnly(test)('of two equal files the second is a duplicate; the first one changes without touching what the second one is', async (t) => {
  const { put, addSource, run } = t.context;
  await put('a.txt', 'same');
  const id = await addSource();
  await run(id);
  await put('b.txt', 'same');
  t.like(await run(id), { added: 0, skipped: 2 });
  await put('a.txt', 'other by now');
  t.like(await run(id), { added: 1, updated: 0 });
  t.is((await documents(t.context)).length, 2);
  t.deepEqual(
    (await files(t.context)).map(({ path, state }) => [path, state]),
    [
      ['a.txt', 'ingested'],
      ['b.txt', 'duplicate'],
    ],
  );
  t.like(await reasonOf(t.context, 'b.txt'), { reason_code: 'duplicate_file' });
});

fullOnly(test)('changed contents that the owner has already are a duplicate of those, and the old document stays as it is', async (t) => {
  const { put, addSource, run } = t.context;
  await put('a.txt', 'first');
  await put('b.txt', 'second');
  const id = await addSource();
  await run(id);
  const before = await documents(t.context);
  await put('a.txt', 'second');
  t.like(await run(id), { added: 0, updated: 0, skipped: 2 });
  t.deepEqual(await documents(t.context), before);
  const [file] = await files(t.context);
  t.like(file, { path: 'a.txt', state: 'duplicate', document_id: before.find(({ title }) => title === 'b')?.['id'] });
});

test('a moved file is recognised by its contents and not imported twice; its document stays and is not marked', async (t) => {
  const { put, move, addSource, run } = t.context;
  await put('inbox/a.txt', 'alder');
  const id = await addSource();
  await run(id);
  const before = await documents(t.context);
  await move('inbox/a.txt', 'archive/2026/b.txt');
  t.like(await run(id), { state: 'completed', moved: 1, added: 0, removed: 0, skipped: 0 });
  t.deepEqual(await documents(t.context), before);
  t.deepEqual(await files(t.context), [
    { path: 'archive/2026/b.txt', state: 'ingested', document_id: before[0]?.['id'], removed_at: null },
  ]);
  t.like(
    (await ledger(t.context)).find(({ path }) => path === 'archive/2026/b.txt'),
    { reason: text('importLog.moved_from', { path: 'inbox/a.txt' }) },
  );
  t.deepEqual(await reasonOf(t.context, 'archive/2026/b.txt'), { reason_code: 'moved_from', reason_details: { path: 'inbox/a.txt' } });
  const toHeir = { reason_code: 'moved_to', reason_details: { path: 'archive/2026/b.txt' } };
  t.deepEqual(await reasonOf(t.context, 'inbox/a.txt'), toHeir);

  await put('archive/2026/b.txt', 'alder, revised');
  t.like(await run(id), { updated: 1, added: 0 });
  t.is((await documents(t.context))[0]?.['id'], before[0]?.['id']);
});

fullOnly(test)('a whole folder that was renamed is moved, however many files it has', async (t) => {
  const { put, move, addSource, run } = t.context;
  for (let n = 0; n < 25; n += 1) await put(`old/f${n}.txt`, `file ${n}`);
  const id = await addSource();
  await run(id);
  await move('old', 'new');
  t.like(await run(id, 'schedule'), { state: 'completed', moved: 25, added: 0, removed: 0 });
  t.is((await documents(t.context)).length, 25);
});

test('a removed file is marked and its document kept; when it is back, the mark goes without a download', async (t) => {
  const { put, move, addSource, run, downloads } = t.context;
  await put('a.txt', 'alder');
  await put('b.txt', 'birch');
  const id = await addSource();
  await run(id);
  const source = t.context.server.folder;
  await move('a.txt', '../aside.txt');
  t.like(await run(id), { removed: 1 });
  const [marked, other] = (await documents(t.context)).toSorted((a, b) => String(a['title']).localeCompare(String(b['title'])));
  t.truthy(marked?.['source_removed_at']);
  t.is(other?.['source_removed_at'], null);
  t.like(await reasonOf(t.context, 'a.txt'), { reason_code: 'gone_at_source' });
  t.like(await run(id), { removed: 0 });

  const fetched = downloads();
  await move('../aside.txt', 'a.txt');
  t.like(await run(id), { added: 0, removed: 0 });
  t.true((await documents(t.context)).every(({ source_removed_at }) => source_removed_at === null));
  t.true((await files(t.context)).every(({ removed_at }) => removed_at === null));
  t.is(downloads(), fetched, source);

  await move('a.txt', '../aside.txt');
  await run(id);
  await move('../aside.txt', 'c.txt');
  t.like(await run(id), { moved: 1 });
  t.deepEqual(await reasonOf(t.context, 'c.txt'), { reason_code: 'moved_from', reason_details: { path: 'a.txt' } });
});

test('with on_remote_delete=delete the document goes to the trash with its file, and is restored with it', async (t) => {
  const { put, remove, addSource, run, rows } = t.context;
  await put('a.txt', 'alder');
  await put('b.txt', 'birch');
  const id = await addSource({ settings: { on_remote_delete: 'delete' } });
  await run(id);
  await remove('a.txt');
  t.like(await run(id), { removed: 1 });
  t.deepEqual(
    (await documents(t.context)).map(({ title }) => title),
    ['b'],
  );
  t.like(await reasonOf(t.context, 'a.txt'), { reason_code: 'deleted_with_source' });
  t.is((await rows("select from audit_log where action = 'document.deleted'")).length, 1);
  t.is((await rows("select from events where type = 'document_deleted'")).length, 1);
  const [trashed] = await rows('select id, reason, trashed_by from trashed_documents');
  t.like(trashed, { reason: 'source_file_removed', trashed_by: null });
  await put('a.txt', 'alder');
  t.like(await run(id), { added: 1 });
  t.is((await documents(t.context)).length, 2);
  t.like(await reasonOf(t.context, 'a.txt'), { reason_code: 'restored_from_trash' });
  t.deepEqual(await rows('select source_removed_at from documents where id = $1', trashed?.['id']), [{ source_removed_at: null }]);
  t.deepEqual(await rows('select from trashed_documents'), []);
  t.like(await run(id), { added: 0, updated: 0, removed: 0 });
});

fullOnly(test)('with on_remote_delete=delete a document stays while another file has it, and goes with the last one', async (t) => {
  const { put, remove, addSource, run } = t.context;
  await put('a.txt', 'same');
  const id = await addSource({ settings: { on_remote_delete: 'delete' } });
  await run(id);
  await put('b.txt', 'same');
  await run(id);
  await remove('a.txt');
  await run(id);
  t.is((await documents(t.context)).length, 1);
  t.like((await files(t.context))[0], { path: 'b.txt', state: 'ingested' });
  await put('c.txt', 'same');
  await run(id);
  await remove('b.txt');
  await remove('c.txt');
  await run(id);
  t.deepEqual(await documents(t.context), []);
});

test('a document that was deleted here does not come back: not by another run, nor a touch, nor another name', async (t) => {
  const { put, move, addSource, run, database } = t.context;
  await put('a.txt', 'alder');
  const id = await addSource();
  await run(id);
  const [document] = await documents(t.context);
  await database.db.transaction((tx) => deleteDocument(tx, String(document?.['id'])));
  t.like(await run(id), { added: 0, skipped: 1 });
  await put('a.txt', 'alder');
  await t.context.rows("update source_files set etag = 'another', modified_at = now()");
  t.like(await run(id), { added: 0, updated: 0, skipped: 1 });
  t.like(await reasonOf(t.context, 'a.txt'), { reason_code: 'document_deleted' });
  await move('a.txt', 'renamed.txt');
  t.like(await run(id), { added: 0, updated: 0 });
  t.deepEqual(await reasonOf(t.context, 'renamed.txt'), { reason_code: 'document_deleted_of', reason_details: { path: 'a.txt' } });
  t.deepEqual(await documents(t.context), []);

  await put('renamed.txt', 'something else');
  t.like(await run(id), { added: 1 });
  t.deepEqual(
    (await documents(t.context)).map(({ title }) => title),
    ['renamed'],
  );
});

test('files that are not for us stand in the ledger with the reason, are not fetched, and are not judged again and again', async (t) => {
  const { put, addSource, run, downloads, rows } = t.context;
  await put('a.exe', 'program');
  await put('b.txt', 'not wanted');
  await put('c.pdf', 'no pdf at all');
  const id = await addSource({ filePatterns: ['*.pdf', '*.exe'] });
  t.like(await run(id), { state: 'completed', added: 0, skipped: 3, failed: 0 });
  t.is(downloads(), 1);
  t.deepEqual(
    (await ledger(t.context)).map(({ path, state }) => [path, state]),
    [
      ['a.exe', 'ignored'],
      ['b.txt', 'ignored'],
      ['c.pdf', 'ignored'],
    ],
  );
  t.like(await reasonOf(t.context, 'a.exe'), { reason_code: 'unknown_type', reason_details: { extension: 'exe' } });
  t.like(await reasonOf(t.context, 'b.txt'), { reason_code: 'unwanted_name', reason_details: null });
  t.like(await reasonOf(t.context, 'c.pdf'), { reason_code: 'type_mismatch' });
  const before = await rows('select xmin::text from source_files order by id');
  await run(id);
  t.is(downloads(), 1);
  t.deepEqual(await rows('select xmin::text from source_files order by id'), before);

  await rows("update sources set file_patterns = '{*}' where id = $1", id);
  t.like(await run(id), { added: 1 });
});

fullOnly(test)('a file that is refused for another reason than before has the code of that', async (t) => {
  const { put, addSource, run, rows } = t.context;
  await put('a.exe', 'program');
  const id = await addSource({ filePatterns: ['*.pdf'] });
  await run(id);
  t.deepEqual(await reasonOf(t.context, 'a.exe'), { reason_code: 'unwanted_name', reason_details: null });
  await rows(`update sources set file_patterns = '{"*"}'`);
  await rows('delete from source_files');
  await run(id);
  t.deepEqual(await reasonOf(t.context, 'a.exe'), { reason_code: 'unknown_type', reason_details: { extension: 'exe' } });
});

fullOnly(test)('a duplicate of a document that could not be read has it tried again', async (t) => {
  const { put, addSource, run, database, rows } = t.context;
  await put('a.txt', 'alder');
  const id = await addSource();
  await run(id);
  const [document] = await documents(t.context);
  await database.db.transaction((tx) => markFailed(tx, String(document?.['id']), 'corrupt'));
  await put('b.txt', 'alder');
  await run(id);
  t.deepEqual(await rows('select status from documents'), [{ status: 'pending' }]);
});

fullOnly(test)('more new files than fit into memory are taken in all the same', async (t) => {
  await using bench = await openSyncBench({ SYNC_PARALLEL_DOWNLOADS: '2' }, { maxPendingFiles: 7 });
  for (let n = 0; n < 40; n += 1) await bench.put(`f${n}.txt`, `file ${n}`);
  const id = await bench.addSource();
  t.like(await bench.run(id), { state: 'completed', processed: 40, total: 40, added: 40, skipped: 0 });
  t.is((await documents(bench)).length, 40);
});

fullOnly(test)(
  'with on_remote_delete=delete what is not looked at any more is not taken for gone: folders below, once only the top is listed',
  async (t) => {
    const { put, addSource, run, rows } = t.context;
    await put('a.txt', 'alder');
    await put('folder/b.txt', 'birch');
    const id = await addSource({ settings: { on_remote_delete: 'delete' } });
    await run(id);
    await rows('update sources set is_recursive = false, updated_at = now() where id = $1', id);
    t.like(await run(id), { state: 'completed', removed: 0 });
    t.deepEqual(await rows('select title, source_removed_at from documents order by title'), [
      { title: 'a', source_removed_at: null },
      { title: 'b', source_removed_at: null },
    ]);
  },
);

fullOnly(test)(
  'with on_remote_delete=delete the files of a place that the source left are not deleted: they are not gone there',
  async (t) => {
    const { put, addSource, run, rows, proxy, database } = t.context;
    await put('old/a.txt', 'alder');
    await put('new/b.txt', 'birch');
    const id = await addSource({ url: `${proxy.url}/old/`, settings: { on_remote_delete: 'delete' } });
    await run(id);
    await database.db.transaction(async (tx) => {
      await updateSource(tx, id, { url: `${proxy.url}/new/` });
      await forgetVersions(tx, id);
    });
    t.like(await run(id), { state: 'completed', added: 1 });
    t.deepEqual(await rows('select title from documents order by title'), [{ title: 'a' }, { title: 'b' }]);
  },
);

fullOnly(test)('changed files that have become equal are one document and its duplicate, in one run', async (t) => {
  const { put, addSource, run, rows } = t.context;
  for (let n = 0; n < 8; n += 1) await put(`f${n}.txt`, `file ${n}`);
  const id = await addSource();
  await run(id);
  for (let n = 0; n < 8; n += 1) await put(`f${n}.txt`, 'the same template');
  t.like(await run(id), { state: 'completed', failed: 0 });
  t.is((await rows('select from documents')).length, 8);
  t.is(
    (await rows('select from source_files where sha256 = (select sha256 from source_files group by sha256 having count(*) = 8)')).length,
    8,
  );
});
