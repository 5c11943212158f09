// Files that become the newest version of a document: what is kept of the ones before, and what a killed process leaves.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Document } from '@sheaf/db/schema';
import { deleteDocument, lockDocumentAndJob } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { ingestVersion, sweepOrphans, type VersionResult } from '@sheaf/ingest';
import { constant } from '@sheaf/process';
import { documentKey } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { oneIn } from '../../support/full-run.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const hashOf = (words: string): string => createHash('sha256').update(words).digest('hex');

const replace = ({ deps, owner }: IngestBench, { id }: Document, words: string, versionsKeep = 0): Promise<VersionResult> =>
  ingestVersion(
    {
      route: 'upload',
      filename: 'note.txt',
      ledgerPath: 'note.txt',
      ownerId: owner.id,
      body: Readable.from([Buffer.from(words)]),
      maxBytes: 1_000_000,
      allowedExtensions: ['txt'],
      documentId: id,
      lock: async (tx) => {
        const document = await lockDocumentAndJob(tx, id);
        if (document === undefined) throw new Error('it is gone');
        return document;
      },
      onReplaced: () => Promise.resolve(),
    },
    { ...deps, settings: constant({ maxAttempts: 4, defaultLanguage: 'eng', notifications: TOLD_HERE, versionsKeep }) },
  );

test('earlier versions beyond the number that is kept go with their text and their bytes, and no others', async (t) => {
  const { take, deps, db, rows, stored } = t.context;
  const document = documentOf(await take('one'));
  await savePages(db, document.id, [{ page: 1, content: 'one', confidence: 1, origin: 'text' }]);
  for (const words of ['two', 'three', 'four']) t.is((await replace(t.context, document, words)).outcome, 'replaced');
  const versions = () => rows('select version from document_versions order by version');
  t.deepEqual(await versions(), [{ version: 1 }, { version: 2 }, { version: 3 }]);
  t.is((await stored()).length, 4);

  const other = documentOf(await take('two', { filename: 'other.txt' }));
  t.is((await replace(t.context, document, 'five', 1)).outcome, 'replaced');
  t.deepEqual(await versions(), [{ version: 4 }]);
  t.is(await t.context.count('document_version_pages'), 0);
  t.deepEqual((await stored()).toSorted(), ['two', 'four', 'five'].map((words) => documentKey(hashOf(words))).toSorted());
  t.like(await rows('select id from documents where sha256 = $1', hashOf('two')), [{ id: other.id }]);

  // what only an earlier version refers to is no orphan, however old it is, and goes with its document
  const clock = { now: () => new Date(Date.now() + 48 * 3_600_000) };
  t.is(await sweepOrphans({ db, storage: deps.storage, clock }), 0);
  await deleteDocument(db, document.id);
  t.is(await sweepOrphans({ db, storage: deps.storage, clock }), 2);
});

test('a watched file that changed is another document, and a touch of the one before brings back nothing that was replaced', async (t) => {
  const watched = { route: 'watch', ledgerPath: 'in/scan.txt', filename: 'scan.txt' } as const;
  const first = documentOf(await t.context.take('a paper', { ...watched, modifiedAt: new Date(1_000) }));
  t.is((await replace(t.context, first, 'a better scan of it')).outcome, 'replaced');
  const touched = await t.context.take('a paper', { ...watched, modifiedAt: new Date(2_000) });
  t.deepEqual(touched, { outcome: 'duplicate', documentId: first.id, requeued: false });
  t.deepEqual(await t.context.rows("select state, document_id from ingest_ledger where path = 'in/scan.txt'"), [
    { state: 'ingested', document_id: first.id },
  ]);
  const second = documentOf(await t.context.take('another paper', { ...watched, modifiedAt: new Date(3_000) }));
  t.not(second.id, first.id);
  t.is(second.version, 1);
});

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/ingest/killed-ingest.ts');

for (const [point, version] of oneIn(
  3,
  Object.entries({ 'while receiving': 1, 'after storing': 1, 'before the commit': 1, 'after the commit': 2 }),
))
  test(`killed ${point}, a replacement leaves version ${version} whole, and the next one completes it`, async (t) => {
    const { database, folder, owner, take, db, rows } = t.context;
    const document = documentOf(await take('the first file'));
    await savePages(db, document.id, [{ page: 1, content: 'its text', confidence: 1, origin: 'text' }]);
    const killed = run(process.execPath, [SCRIPT, database.url.reveal(), folder, point, owner.id, '10', document.id]);
    t.like(await t.throwsAsync(killed), { signal: 'SIGKILL' });
    const state = () =>
      rows(`select version, status, (select count(*)::int from document_versions) as earlier,
        (select count(*)::int from document_version_pages) as pages, (select count(*)::int from ingest_ledger) as files,
        (select count(*)::int from ocr_jobs where status = 'pending') as jobs from documents`);
    const whole = { version: 2, status: 'pending', earlier: 1, pages: 1, files: 2, jobs: 1 };
    t.deepEqual(await state(), [version === 1 ? { ...whole, version: 1, earlier: 0, pages: 0, files: 1 } : whole]);
    const again = await replace(t.context, document, `first half ${'.'.repeat(10)}, second half`);
    t.is(again.outcome, version === 1 ? 'replaced' : 'unchanged');
    t.deepEqual(await state(), [whole]);
  });
