import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Extraction } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { JobRunner, JobSlots, type ReadDeps } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { openPictures } from '../../support/extraction.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { waitFor } from '../../support/wait-for.ts';

const LEASE_MS = 60_000;

const read = (): Extraction => ({
  ok: true,
  pageCount: 1,
  previewPath: undefined,
  pages: (async function* () {
    yield [{ page: 1, text: 'words', confidence: 1, origin: 'text' as const, error: undefined }];
  })() as never,
  [Symbol.asyncDispose]: async () => {},
});

interface Request {
  readonly path: string;
  readonly signal: AbortSignal;
}

/** The slots of a worker, whose documents are processed until the test ends them; `extract` stands in for the programs. */
const givenSlots = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-suspects-')));
  const { db, pool } = database;
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const owner = await givenUser(db);
  /** Ends the processing of a document, by where its bytes are. */
  const ends = new Map<string, () => void>();
  const extract = ({ path, signal }: Request): Promise<Extraction> =>
    new Promise((resolve, reject) => {
      const finish = (act: () => void) => (): void => {
        ends.delete(path);
        act();
      };
      ends.set(
        path,
        finish(() => resolve(read())),
      );
      signal.addEventListener(
        'abort',
        finish(() => reject(signal.reason as Error)),
        { once: true },
      );
    });
  const settings = {
    ocrEnabled: true,
    versionsKeep: 0,
    leaseMs: LEASE_MS,
    retryDelayMs: 1,
    confidenceThreshold: 0.5,
    notifications: TOLD_HERE,
  };
  const log = silentLogger();
  const extractor = { extract, installedLanguages: () => [], pictures: openPictures(folder.path) } as unknown as ReadDeps['extractor'];
  const registry = makeRegistry('ocr-worker');
  const runner = new JobRunner({
    reading: { db, storage, extractor, tempPath: join(folder.path, 'temp'), barcodes: barcodesBy(), log },
    settings: constant(settings),
    facts: new FactFinder({ db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } }),
    onCompleted: () => {},
    tracer: NO_TRACER,
    registry,
  });
  const slots = new JobSlots({
    db,
    log,
    runner,
    host: 'host',
    languages: ['eng'],
    worker: 'worker',
    settings: { slots: constant(3), readers: 2, leaseMs: LEASE_MS },
  });
  await slots.start();
  resources.defer(() => slots.stop());
  const pathOf = (sha256: string): string => storage.pathOf(documentKey(sha256));
  return {
    pool,
    add: async (priority: 'normal' | 'high', isSuspect: boolean) => {
      const document = await givenDocument(db, { ownerId: owner.id });
      await storage.put(documentKey(document.sha256), Readable.from(['x']));
      await db.transaction(async (tx) => {
        await enqueueJob(tx, { documentId: document.id, maxAttempts: 3, priority });
        await tx.execute(`update ocr_jobs set is_suspect = ${isSuspect} where document_id = '${document.id}'`);
      });
      slots.nudge();
      return { id: document.id, path: pathOf(document.sha256) };
    },
    /** Waits until these documents, and no others, are open. */
    untilOpen: (...documents: readonly { readonly path: string }[]) =>
      waitFor(() => Promise.resolve(ends.size === documents.length && documents.every(({ path }) => ends.has(path))), {
        description: `${documents.length} documents to be open`,
        limitMs: 20_000,
      }),
    end: ({ path }: { readonly path: string }) => ends.get(path)?.(),
    statusOf: async ({ id }: { readonly id: string }): Promise<string> =>
      (await pool.query<{ status: string }>('select status from ocr_jobs where document_id = $1', [id])).rows[0]?.status ?? '',
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

test('a suspect is opened when the other documents of its worker have ended, and nothing is opened beside it', async (t) => {
  await using given = await givenSlots();
  const first = await given.add('normal', false);
  await given.untilOpen(first);
  const suspect = await given.add('normal', true);
  await waitFor(async () => (await given.statusOf(suspect)) === 'processing', {
    description: 'the suspect to be claimed',
    limitMs: 20_000,
  });
  const later = await given.add('normal', false);
  await given.untilOpen(first);
  const { rows } = await given.pool.query('select processing_since from ocr_jobs where document_id = $1', [suspect.id]);
  t.deepEqual(rows, [{ processing_since: null }], 'it has no part in a crash of the first one');
  given.end(first);
  await given.untilOpen(suspect);
  t.is(await given.statusOf(later), 'pending');
  given.end(suspect);
  await given.untilOpen(later);
  t.is(await given.statusOf(suspect), 'completed');
});

test('a more urgent document does not wait for a suspect, which comes after it', async (t) => {
  await using given = await givenSlots();
  const suspect = await given.add('normal', true);
  await given.untilOpen(suspect);
  const urgent = await given.add('high', false);
  await given.untilOpen(urgent);
  t.is(await given.statusOf(urgent), 'processing');
  given.end(urgent);
  await given.untilOpen(suspect);
  const { rows } = await given.pool.query('select attempts, crashes, is_suspect from ocr_jobs where document_id = $1', [suspect.id]);
  t.deepEqual(rows, [{ attempts: 1, crashes: 0, is_suspect: true }]);
});
