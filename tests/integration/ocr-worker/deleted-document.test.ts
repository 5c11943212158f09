import { mkdtempDisposable, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deleteDocument, lockDocumentAndJob } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { replaceContent, restoreContent } from '@sheaf/documents/versions';
import type { Extraction, ExtractionRequest } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { JobRunner, makeReadingMetrics, type ReadDeps, readDocument } from '@sheaf/ocr-worker/testing';
import { constant, type Logger, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { claimJob, enqueueJobs, LeaseLost, queueReading } from '@sheaf/queue';
import { documentKey, LocalStorage, previewKey, WorkingSpace } from '@sheaf/storage';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { openPictures } from '../../support/extraction.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';

/** A claimed job, and what reading it needs; `extract` stands in for the programs. */
const givenJob = async (extract: (documentId: string, request: ExtractionRequest) => Promise<Extraction>) => {
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
    extractor: {
      extract: (request: ExtractionRequest) => extract(document.id, request),
      installedLanguages: () => [],
      pictures: openPictures(folder.path),
    } as unknown as ReadDeps['extractor'],
    tempPath: join(folder.path, 'temp'),
    settings: constant({ ocrEnabled: true, versionsKeep: 0 }),
    barcodes: barcodesBy(),
    log: silentLogger(),
  } satisfies ReadDeps;
  return {
    db,
    pool: database.pool,
    folder: folder.path,
    storage,
    document,
    job,
    deps,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
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

const aReading = ({ tempPath }: ReadDeps) => ({
  metrics: makeReadingMetrics(makeRegistry('ocr-worker')),
  space: new WorkingSpace(tempPath),
  signal: new AbortController().signal,
  onRecognise: () => {},
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
  await t.throwsAsync(readDocument(given.job, given.document, given.deps, aReading(given.deps)), { instanceOf: LeaseLost });
  t.is(await given.storage.stat(previewKey(given.document.sha256)), undefined);
});

test('the PDF rendition stays for a document that stays', async (t) => {
  let previewPath = '';
  const given = await givenJob(async () => opened(previewPath));
  await using _given = given;
  previewPath = join(given.folder, 'preview.pdf');
  await writeFile(previewPath, '%PDF-');
  t.deepEqual(await readDocument(given.job, given.document, given.deps, aReading(given.deps)), { ok: true, isSigned: false });
  t.is((await given.storage.stat(previewKey(given.document.sha256)))?.sizeBytes, 5);
});

/** Runs the job as a worker does, and returns what was logged. */
const runJob = async ({ deps, job }: Awaited<ReturnType<typeof givenJob>>): Promise<string[]> => {
  const said: string[] = [];
  const note = (level: string) => (_fields: unknown, message: string) => said.push(`${level}: ${message}`);
  const log = { child: () => log, info: note('info'), warn: note('warn'), error: note('error'), debug: note('debug') } as unknown as Logger;
  const settings = {
    ocrEnabled: true,
    versionsKeep: 0,
    leaseMs: 60_000,
    retryDelayMs: 1,
    confidenceThreshold: 0.5,
    notifications: TOLD_HERE,
  };
  const facts = new FactFinder({ db: deps.db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } });
  const runner = new JobRunner({
    reading: { ...deps, log },
    settings: constant(settings),
    facts,
    onCompleted: () => {},
    tracer: NO_TRACER,
    registry: makeRegistry('worker'),
  });
  await runner.run(job, {
    stop: new AbortController().signal,
    place: 'kept',
    othersEnded: Promise.resolve(),
    onCheckLease: () => {},
    onRecognise: () => {},
  });
  return said;
};

test('a reader whose file goes with its document, before they are told, stops without crying wolf', async (t) => {
  await using given = await givenJob(async (id) => {
    await deleteDocument(given.db, id);
    throw new Error('no such file');
  });
  t.deepEqual(await runJob(given), ['info: job ended']);
});

const replace = ({ db, document }: Awaited<ReturnType<typeof givenJob>>): Promise<void> =>
  db.transaction(async (tx) => {
    await lockDocumentAndJob(tx, document.id);
    await replaceContent(tx, document.id, { sha256: 'ab'.repeat(32), sizeBytes: 3, mimeType: 'text/plain', filePath: '/new' });
    await queueReading(tx, [document.id], { maxAttempts: 3 });
  });

for (const [what, readOld] of [
  ['reads them to the end', () => opened('')],
  [
    'finds them gone',
    () => {
      throw new Error('no such file');
    },
  ],
] as const)
  test(`a reader under whom the contents are replaced, and who ${what}, writes nothing of the old ones`, async (t) => {
    await using given = await givenJob(async () => {
      await replace(given);
      return { ...readOld(), previewPath: undefined };
    });
    t.deepEqual(await runJob(given), ['info: job ended']);
    const { rows } = await given.pool.query(`
      select documents.status, ocr_jobs.status as job, attempts, (select count(*)::int from document_pages) as pages
      from documents join ocr_jobs on document_id = documents.id`);
    t.deepEqual(rows, [{ status: 'pending', job: 'pending', attempts: 0, pages: 0 }]);
  });

test('a job whose storage has vanished waits for it: that is no attempt, and no fault of the document', async (t) => {
  await using given = await givenJob(async () => opened(''));
  await rename(join(given.folder, 'store'), join(given.folder, 'away'));
  await runJob(given);
  const { rows } = await given.pool.query(`
    select documents.status, ocr_jobs.status as job, attempts from documents join ocr_jobs on document_id = documents.id`);
  t.deepEqual(rows, [{ status: 'pending', job: 'pending', attempts: 0 }]);
});

const PAGE = { page: 1, content: 'words of the first file', confidence: 0.9, origin: 'ocr' } as const;

/** The job as it is claimed again. */
const claimAgain = async (given: Awaited<ReturnType<typeof givenJob>>) => {
  const job = await claimJob(given.db, 'worker', 60_000);
  if (job === undefined) throw new Error('there is a job');
  return { ...given, job };
};

const pagesOf = async ({ pool }: Awaited<ReturnType<typeof givenJob>>) =>
  (
    await pool.query(`select documents.status, version, (select array_agg(content) from document_pages) as pages,
      (select array_agg(content) from document_version_pages where version = 1) as earlier from documents`)
  ).rows[0];

test('of a version that is restored no page is recognised again, and its document is completed with them', async (t) => {
  const done: ReadonlySet<number>[] = [];
  await using given = await givenJob(async (_id, request) => {
    done.push(request.donePages);
    return { ...opened(''), previewPath: undefined, pages: (async function* () {})() as never };
  });
  await savePages(given.db, given.document.id, [PAGE]);
  await replace(given);
  await given.db.transaction(async (tx) => {
    await lockDocumentAndJob(tx, given.document.id);
    await restoreContent(tx, given.document.id, 1, 500);
    await enqueueJobs(tx, [given.document.id], { maxAttempts: 3, priority: 'normal' });
  });
  t.deepEqual(await runJob(await claimAgain(given)), ['info: job ended']);
  t.deepEqual(done, [new Set([1])]);
  t.deepEqual(await pagesOf(given), { status: 'completed', version: 3, pages: [PAGE.content], earlier: [PAGE.content] });
});

test('a new file that cannot be processed leaves its document without the text of the one before, which that one keeps', async (t) => {
  await using given = await givenJob(async () => ({ ok: false, reason: 'encrypted' }));
  await savePages(given.db, given.document.id, [PAGE]);
  await replace(given);
  await given.storage.put(documentKey('ab'.repeat(32)), Readable.from(['y']));
  await runJob(await claimAgain(given));
  t.deepEqual(await pagesOf(given), { status: 'failed', version: 2, pages: null, earlier: [PAGE.content] });
});
