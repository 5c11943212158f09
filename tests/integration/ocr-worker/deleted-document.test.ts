import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { claimJob, deleteDocument, enqueueJob, LeaseLost } from '@sheaf/db';
import type { Extraction } from '@sheaf/extraction';
import { type Logger, makeRegistry } from '@sheaf/runtime';
import { documentKey, LocalStorage, previewKey } from '@sheaf/storage';
import { givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { type ReadDeps, readDocument } from '../../../apps/ocr-worker/src/read-document.ts';
import { JobRunner } from '../../../apps/ocr-worker/src/run-job.ts';

/** A claimed job, and what reading it needs; `extract` stands in for the programs. */
const givenJob = async (extract: (documentId: string) => Promise<Extraction>) => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-worker-')));
  const { db } = database;
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const document = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await storage.put(documentKey(document.sha256), Readable.from(['x']));
  await enqueueJob(db, { documentId: document.id, maxAttempts: 3 });
  const job = await claimJob(db, 'worker', 60_000);
  if (job === undefined) throw new Error('there is a job');
  const deps = {
    db,
    storage,
    extractor: { extract: () => extract(document.id) } as unknown as ReadDeps['extractor'],
    ocrEnabled: true,
    tempPath: join(folder.path, 'temp'),
  } satisfies ReadDeps;
  return { db, folder: folder.path, storage, document, job, deps, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

const opened = (previewPath: string): Extraction => ({
  ok: true,
  pageCount: 1,
  previewPath,
  pages: (async function* () {
    yield [{ page: 1, text: 'words', confidence: 1, origin: 'text' as const, error: undefined }];
  })() as never,
  [Symbol.asyncDispose]: async () => {},
});

test('the PDF rendition of a document that is deleted while it is made does not stay behind, and its pages are not written', async (t) => {
  let previewPath = '';
  const given = await givenJob(async (id) => {
    await deleteDocument(given.db, id);
    return opened(previewPath);
  });
  await using _given = given;
  previewPath = join(given.folder, 'preview.pdf');
  await writeFile(previewPath, '%PDF-');
  await t.throwsAsync(readDocument(given.job, given.document, given.deps, new AbortController().signal), { instanceOf: LeaseLost });
  t.is(await given.storage.stat(previewKey(given.document.sha256)), undefined);
});

test('the PDF rendition stays for a document that stays', async (t) => {
  let previewPath = '';
  const given = await givenJob(async () => opened(previewPath));
  await using _given = given;
  previewPath = join(given.folder, 'preview.pdf');
  await writeFile(previewPath, '%PDF-');
  t.deepEqual(await readDocument(given.job, given.document, given.deps, new AbortController().signal), { ok: true });
  t.is((await given.storage.stat(previewKey(given.document.sha256)))?.sizeBytes, 5);
});

test('a reader whose file goes with its document, before he is told, stops without crying wolf', async (t) => {
  await using given = await givenJob(async (id) => {
    await deleteDocument(given.db, id);
    throw new Error('no such file');
  });
  const said: string[] = [];
  const note = (level: string) => (_fields: unknown, message: string) => said.push(`${level}: ${message}`);
  const log = { child: () => log, info: note('info'), warn: note('warn'), error: note('error'), debug: note('debug') } as unknown as Logger;
  const settings = { leaseMs: 60_000, retryDelayMs: 1, confidenceThreshold: 0.5 };
  const runner = new JobRunner({ ...given.deps, settings, log, registry: makeRegistry('worker') });
  await runner.run(given.job, { stop: new AbortController().signal, place: 'kept', onCheckLease: () => {} });
  t.deepEqual(said, ['info: job ended']);
});
