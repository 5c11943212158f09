import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ExtractedPage, Extraction } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { JobRunner, type ReadDeps } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { claimJob } from '@sheaf/queue';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { openPictures } from '../../support/extraction.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';

const pageOf = (page: number, error: FailureReason | undefined): ExtractedPage => ({
  page,
  text: error === undefined ? 'words' : '',
  confidence: error === undefined ? 1 : 0,
  origin: 'ocr',
  ...(error === undefined ? {} : { error }),
});

const opened = (errors: readonly (FailureReason | undefined)[]): Extraction => ({
  ok: true,
  pageCount: errors.length,
  previewPath: undefined,
  pages: (async function* () {
    yield errors.map((error, at) => pageOf(at + 1, error));
  })() as never,
  [Symbol.asyncDispose]: async () => {},
});

const processed = (...errors: readonly (FailureReason | undefined)[]) => processedWith({ errors });

/** What document and job say when a document whose pages end like this has been processed once. */
const processedWith = async ({
  errors,
  findFacts,
}: {
  readonly errors: readonly (FailureReason | undefined)[];
  readonly findFacts?: FactFinder['find'];
}) => {
  await using database = await openTestDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-pages-'));
  const { db, pool } = database;
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const document = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await storage.put(documentKey(document.sha256), Readable.from(['x']));
  await enqueueJob(db, { documentId: document.id, maxAttempts: 1 });
  const job = await claimJob(db, 'worker', 60_000);
  if (job === undefined) throw new Error('there is a job');
  const runner = new JobRunner({
    reading: {
      db,
      storage,
      extractor: {
        extract: async () => opened(errors),
        installedLanguages: () => [],
        pictures: openPictures(folder.path),
      } as unknown as ReadDeps['extractor'],
      tempPath: join(folder.path, 'temp'),
      barcodes: barcodesBy(),
      log: silentLogger(),
    },
    settings: constant({
      ocrEnabled: true,
      versionsKeep: 0,
      leaseMs: 60_000,
      retryDelayMs: 1,
      confidenceThreshold: 0.5,
      notifications: TOLD_HERE,
    }),
    facts:
      findFacts === undefined ? new FactFinder({ db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } }) : { find: findFacts },
    onCompleted: () => {},
    tracer: NO_TRACER,
    registry: makeRegistry('ocr-worker'),
  });
  const control = {
    stop: new AbortController().signal,
    place: 'kept' as const,
    othersEnded: Promise.resolve(),
    onCheckLease: () => {},
    onRecognise: () => {},
  };
  await runner.run(job, control);
  const { rows } = await pool.query<Record<string, unknown>>(
    `select d.status, d.error_code, d.error_message, j.status as job, j.attempts, j.error_code as job_code
     from documents d left join ocr_jobs j on j.document_id = d.id where d.id = $1`,
    [document.id],
  );
  return rows[0];
};

test('where no page could be read, their reason is that of the document, with the variable to raise', async (t) => {
  const row = await processed('timeout', 'timeout');
  t.like(row, { status: 'failed', error_code: 'timeout', job: 'failed', job_code: 'timeout' });
  t.regex(String(row?.['error_message']), /OCR_TIMEOUT_SECONDS/);
});

test('pages that failed for different reasons leave none of them to the document', async (t) => {
  t.like(await processed('timeout', 'corrupt'), { status: 'failed', error_code: 'no_readable_page' });
});

test('one page that could be read makes a document of the others', async (t) => {
  t.like(await processed('timeout', undefined), { status: 'completed', error_code: null });
});

test('a database that is away while facts are found costs no facts: the job is released, and that is no attempt', async (t) => {
  const findFacts = () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }));
  t.like(await processedWith({ errors: [undefined], findFacts }), { status: 'pending', job: 'pending', attempts: 0, job_code: null });
});

test('a document whose facts cannot be found completes without them', async (t) => {
  const findFacts = () => Promise.reject(new Error('no facts'));
  t.like(await processedWith({ errors: [undefined], findFacts }), { status: 'completed', error_code: null });
});
