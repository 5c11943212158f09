import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFileChecks, runChecks } from '@sheaf/cli/testing';
import { noteFileChecks } from '@sheaf/ingest/integrity';
import { systemClock } from '@sheaf/process';
import { documentKey, orphanKey, previewKey, thumbnailKey } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';
import { ADMINISTRATORS } from '../../support/notification-policies.ts';
import { verifyLines } from '../../support/verify-lines.ts';
import { type IntegrityBench, makeUnreadable, openIntegrityBench, type StoredDocument } from '../ingest/integrity-fixture.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF = Buffer.from('%PDF-1.7\nsome pages\n%%EOF\n');
const test = anyTest as TestFn<IntegrityBench>;

test.beforeEach(async (t) => {
  t.context = await openIntegrityBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

/** The lines that verifying the files writes, and the numbers at its end. */
const verify = async (bench: IntegrityBench, { isRepair = false, isFast = false } = {}) => {
  const { db, storage, folder, temp } = bench;
  const deps = {
    db,
    storage,
    temp,
    places: [storage],
    backupPath: join(folder, 'backups'),
    clock: systemClock,
    maxAttempts: 3,
    alerts: ADMINISTRATORS,
    isFast,
  };
  const lines: string[] = [];
  const { found, repaired } = await runChecks(db, makeFileChecks(deps), isRepair, {
    line: (text) => lines.push(text),
    begin: () => {},
    progress: () => {},
  });
  return { lines: lines.toSorted(), found, repaired };
};

const givenInBackup = async ({ folder }: IntegrityBench, { sha256, bytes }: StoredDocument): Promise<void> => {
  const path = join(folder, 'backups/sheaf-20260101T000000Z-aa/files', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
};

const statusOf = async ({ rows }: IntegrityBench, id: string) =>
  (await rows('select status from documents where id = $1', id))[0]?.['status'];

const makeOld = async ({ storage }: IntegrityBench, key: string): Promise<void> => {
  const old = new Date(Date.now() - 3 * 24 * 3_600_000);
  await utimes(storage.pathOf(key), old, old);
};

test('files that are right have no differences, and are known to be right where they were read', async (t) => {
  const { store, storage, rows } = t.context;
  await store();
  await store({ pages: 3 });
  const office = await store({ mimeType: DOCX });
  await storage.put(previewKey(office.sha256), PDF);
  await storage.put(thumbnailKey(office.sha256, '10x10.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
  t.deepEqual(await verify(t.context, { isFast: true }), { lines: [], found: 0, repaired: 0 });
  t.is((await rows('select from stored_file_checks')).length, 0);
  t.deepEqual(await verify(t.context), { lines: [], found: 0, repaired: 0 });
  t.is((await rows('select from stored_file_checks where finding is null')).length, 3);
});

test('each file that is missing, changed or unreadable is named by its documents, and restored where there is a right copy', async (t) => {
  const { storage, store, spoil, lose, rows } = t.context;
  const [missing, changed, unreadable, lost] = [await store(), await store(), await store(), await store()];
  await store();
  await lose(missing);
  await spoil(changed);
  await makeUnreadable(storage, unreadable.sha256);
  await lose(lost);
  await givenInBackup(t.context, missing);
  await storage.put(orphanKey(changed.sha256), changed.bytes);
  const expected = [
    `stored-files: document ${missing.id}: its stored file is missing`,
    `stored-files: document ${lost.id}: its stored file is missing`,
    `stored-files: document ${changed.id}: its stored file is damaged: hash mismatch`,
    `stored-files: document ${unreadable.id}: its stored file cannot be read`,
  ].toSorted();
  t.deepEqual(await verify(t.context), { lines: expected, found: 4, repaired: 0 });
  t.is((await rows('select from stored_file_checks where finding is not null')).length, 4);

  const { lines, repaired } = await verify(t.context, { isRepair: true });
  t.is(repaired, 2);
  const lineOf = ({ id }: StoredDocument) => lines.find((line) => line.includes(id)) ?? '';
  t.regex(lineOf(missing), / \[repaired\]$/);
  t.regex(lineOf(changed), / \[repaired\]$/);
  t.regex(lineOf(lost), / \[not repaired: no valid copy in .*backup.*\]$/);
  t.regex(lineOf(unreadable), / \[not repaired: /);
  t.is((await verify(t.context)).found, 2);
  t.is((await rows('select from stored_file_checks where finding is not null')).length, 2);
});

test('a file of several documents is named once with all of them', async (t) => {
  const { store, lose, owner, rows } = t.context;
  const document = await store();
  const [{ id: other } = {}] = await rows(
    `with someone as (insert into users (id, username, email, role) values (gen_random_uuid(), 'bob', 'bob@example.org', 'viewer') returning id)
     insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
     select gen_random_uuid(), someone.id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source from documents, someone
     returning id`,
  );
  await lose(document);
  const ids = [document.id, String(other)].toSorted().join(', ');
  t.deepEqual((await verify(t.context)).lines, [`stored-files: documents ${ids}: its stored file is missing`]);
  t.truthy(owner);
});

test('in a hurry only presence and size count, but what is known to be damaged is read', async (t) => {
  const { db, store, spoil, lose, storage } = t.context;
  const [spoilt, missing, cut] = [await store(), await store(), await store()];
  await spoil(spoilt);
  await lose(missing);
  await writeFile(storage.pathOf(documentKey(cut.sha256)), 'short');
  const lines = [
    `stored-files: document ${missing.id}: its stored file is missing`,
    `stored-files: document ${cut.id}: its stored file is damaged: hash mismatch`,
  ];
  t.deepEqual((await verify(t.context, { isFast: true })).lines, lines.toSorted());
  await noteFileChecks({ db, alerts: ADMINISTRATORS }, [{ sha256: spoilt.sha256, finding: 'changed', at: new Date() }]);
  t.is((await verify(t.context, { isFast: true })).found, 3);
});

test('a finding that is right again is cleared, in a hurry as well', async (t) => {
  const { db, store, rows } = t.context;
  const document = await store();
  await noteFileChecks({ db, alerts: ADMINISTRATORS }, [{ sha256: document.sha256, finding: 'missing', at: new Date() }]);
  t.is((await verify(t.context, { isFast: true })).found, 0);
  t.deepEqual(await rows('select finding from stored_file_checks'), [{ finding: null }]);
});

test('what somebody else found later is not cleared by an earlier look that is noted late', async (t) => {
  const { db, store, rows } = t.context;
  const { sha256 } = await store();
  const note = (second: number, finding: 'changed' | undefined) =>
    noteFileChecks({ db, alerts: ADMINISTRATORS }, [{ sha256, finding, at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)) }]);
  const finding = async () => (await rows('select finding from stored_file_checks'))[0]?.['finding'];
  await note(2, 'changed');
  await note(1, undefined);
  t.is(await finding(), 'changed');
  await note(3, undefined);
  t.is(await finding(), null);
  await note(1, 'changed');
  t.is(await finding(), 'changed', 'a finding is never dropped');
});

test('an office document without a whole preview is read again, and a damaged preview is out of the way before', async (t) => {
  const { storage, store } = t.context;
  const [missing, empty, cut, foreign, whole] = [
    await store({ mimeType: DOCX }),
    await store({ mimeType: DOCX }),
    await store({ mimeType: DOCX }),
    await store({ mimeType: DOCX }),
    await store({ mimeType: DOCX }),
  ];
  await storage.put(previewKey(empty.sha256), Buffer.alloc(0));
  await storage.put(previewKey(cut.sha256), PDF.subarray(0, 12));
  await storage.put(previewKey(foreign.sha256), Buffer.from('no such thing %%EOF'));
  await storage.put(previewKey(whole.sha256), Buffer.concat([PDF.subarray(0, 9), randomBytes(5_000), PDF.subarray(9)]));
  const expected = [
    `previews: document ${missing.id}: its preview is missing`,
    `previews: document ${empty.id}: its preview is empty`,
    `previews: document ${cut.id}: its preview is damaged`,
    `previews: document ${foreign.id}: its preview is damaged`,
  ].toSorted();
  t.deepEqual(await verify(t.context), { lines: expected, found: 4, repaired: 0 });
  t.is((await verify(t.context, { isFast: true })).found, 2);
  t.is((await verify(t.context, { isRepair: true })).repaired, 4);
  for (const { id, sha256 } of [missing, empty, cut, foreign]) {
    t.is(await statusOf(t.context, id), 'pending');
    t.is(await storage.stat(previewKey(sha256)), undefined);
  }
  t.is(await statusOf(t.context, whole.id), 'completed');
  t.truthy(await storage.stat(previewKey(whole.sha256)));
  t.is((await verify(t.context)).found, 0);
});

test('a document with other pages than it says is read again, but not without its stored file', async (t) => {
  const { store, lose, rows } = t.context;
  const [short, gap, fewer, fileless] = [await store({ pages: 4 }), await store({ pages: 4 }), await store(), await store({ pages: 4 })];
  await store({ pages: 4 });
  await rows('delete from document_pages where document_id in ($1, $2) and page = 4', short.id, fileless.id);
  await rows('update document_pages set page = 9 where document_id = $1 and page = 2', gap.id);
  await rows('update documents set page_count = null where id = $1', fewer.id);
  await lose(fileless);
  const { lines } = await verify(t.context);
  const expected = [
    `pages: document ${short.id}: has 3 pages, not 4`,
    `pages: document ${fileless.id}: has 3 pages, not 4`,
    `pages: document ${gap.id}: has 4 of 9 pages`,
    `pages: document ${fewer.id}: has 1 pages, not any`,
  ].toSorted();
  t.deepEqual(
    lines.filter((line) => line.startsWith('pages:')),
    expected,
  );
  const repaired = await verify(t.context, { isRepair: true });
  t.true(
    repaired.lines.includes(`pages: document ${fileless.id}: has 3 pages, not 4 [not repaired: its stored file must be restored first]`),
  );
  t.is(await statusOf(t.context, fileless.id), 'completed', 'its text is kept');
  t.is(await statusOf(t.context, short.id), 'pending');
  t.deepEqual(await rows('select count(*)::int as jobs from ocr_jobs'), [{ jobs: 3 }]);
});

test('a thumbnail that is no picture is removed, and one that is none the worse for it stays', async (t) => {
  const { storage, store } = t.context;
  const { id, sha256 } = await store();
  const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([12, 0, 0, 0]), Buffer.from('WEBPVP8 data')]);
  const good = { '1x1.webp': webp, '2x2.jpeg': Buffer.from('ffd8ffe0', 'hex'), '3x3.png': Buffer.from('89504e470d0a1a0a', 'hex') };
  const bad = { '4x4.webp': Buffer.alloc(0), '5x5.webp': webp.subarray(0, 15), '6x6.png': Buffer.from('<html></html>') };
  for (const [variant, bytes] of Object.entries({ ...good, ...bad })) await storage.put(thumbnailKey(sha256, variant), bytes);
  const lines = Object.keys(bad).map((variant) => `thumbnails: document ${id}: its thumbnail ${variant} is not an image`);
  t.deepEqual(await verify(t.context), { lines, found: 3, repaired: 0 });
  t.is((await verify(t.context, { isFast: true })).found, 1);
  t.is((await verify(t.context, { isRepair: true })).repaired, 3);
  for (const variant of Object.keys(good)) t.truthy(await storage.stat(thumbnailKey(sha256, variant)), variant);
  for (const variant of Object.keys(bad)) t.is(await storage.stat(thumbnailKey(sha256, variant)), undefined, variant);
});

test('files of no document are told when they are older than a day, and set aside', async (t) => {
  const { storage, store } = t.context;
  await store();
  const [old, young] = ['ab'.repeat(32), 'cd'.repeat(32)];
  for (const sha256 of [old, young]) await storage.put(documentKey(sha256), Buffer.from('nobody’s'));
  await storage.put(thumbnailKey(old, '1x1.webp'), Buffer.from('x'));
  await makeOld(t.context, documentKey(old));
  await makeOld(t.context, thumbnailKey(old, '1x1.webp'));
  const lines = [documentKey(old), thumbnailKey(old, '1x1.webp')].map((key) => `orphaned-files: ${key}: belongs to no document`);
  t.deepEqual(await verify(t.context), { lines, found: 2, repaired: 0 });
  t.is((await verify(t.context, { isRepair: true })).repaired, 2);
  t.truthy(await storage.stat(orphanKey(old)));
  t.is(await storage.stat(documentKey(old)), undefined);
  t.truthy(await storage.stat(documentKey(young)));
});

const environmentOf = ({ database, folder }: IntegrityBench) => ({
  PATH: '/usr/bin:/bin',
  ...CODE_CACHE_ENVIRONMENT,
  DATA_PATH: join(folder, 'data'),
  UPLOAD_PATH: join(folder, 'uploads'),
  DATABASE_URL: database.url.reveal(),
});

const runTool = (bench: IntegrityBench, ...args: string[]) => runSheaf(bench, 'verify', ...args);

const runSheaf = async (bench: IntegrityBench, ...args: string[]) => {
  const { status, stdout, stderr } = await runSheafHere(args, environmentOf(bench));
  return { status, lines: verifyLines(stdout), stderr };
};

/** As a program. */
const startTool = async (bench: IntegrityBench, ...args: string[]) => {
  const child = spawn(SHEAF, ['verify', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: environmentOf(bench) });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, lines: verifyLines(stdout), stderr };
};

/** Documents that are in the index, as the tool looks at that too. */
const givenUnindexed = async (bench: IntegrityBench) => {
  const document = await bench.store();
  await bench.rows(`update documents set status = 'pending'`);
  return document;
};

test('bin/sheaf verify finds a lost file, repairs it from BACKUP_PATH, and takes --fast', async (t) => {
  const document = await givenUnindexed(t.context);
  t.deepEqual(await runTool(t.context), { status: 0, lines: ['verified: no differences'], stderr: '' });
  await t.context.lose(document);
  const line = `stored-files: document ${document.id}: its stored file is missing`;
  t.deepEqual(await runTool(t.context, '--fast'), { status: 1, lines: [line, 'not verified: 1 difference, 0 repaired'], stderr: '' });
  t.is((await runTool(t.context, '--repair')).status, 1);
  await givenInBackup(t.context, document);
  await rename(join(t.context.folder, 'backups'), join(t.context.folder, 'uploads/backups'));
  t.deepEqual(await startTool(t.context, '--repair'), {
    status: 0,
    lines: [`${line} [repaired]`, 'verified: 1 difference, 1 repaired'],
    stderr: '',
  });
  t.deepEqual(await runTool(t.context), { status: 0, lines: ['verified: no differences'], stderr: '' });
  t.is((await runTool(t.context, '--slow')).status, 2);
});

test('a lost file comes back from what bin/sheaf backup has kept', async (t) => {
  const document = await givenUnindexed(t.context);
  const backup = await runSheaf(t.context, 'backup');
  t.is(backup.status, 0, backup.stderr);
  await t.context.lose(document);
  t.is((await runTool(t.context)).status, 1);
  t.is((await runTool(t.context, '--repair')).status, 0);
  t.is((await runTool(t.context)).status, 0);
});

test('bin/sheaf verify with its storage away says so, and takes no file for lost', async (t) => {
  await givenUnindexed(t.context);
  await rm(join(t.context.folder, 'uploads'), { recursive: true });
  const { status, lines, stderr } = await runTool(t.context, '--repair');
  t.is(status, 1);
  t.deepEqual(lines, ['']);
  t.regex(stderr, /^sheaf verify: The storage .* is missing\. Mount/);
  t.deepEqual(await t.context.rows('select from stored_file_checks'), []);
});
