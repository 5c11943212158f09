import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deleteDocument, FILES_IN_BACKUP_LOCK } from '@sheaf/documents';
import { makeReadingMetrics, type ReadDeps, readDocument } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { claimJob } from '@sheaf/queue';
import { documentKey, LocalStorage, type Storage, thumbnailKey, WorkingSpace } from '@sheaf/storage';
import { enqueueJob, givenDocument, givenUser, makePdf, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { openPictures } from '../../support/extraction.ts';

const VARIANTS = ['400x400.webp', '200x200.webp'];

/** Reads a document with these bytes; `extract` is done in the place of the extraction. */
const processed = async (
  { mimeType, bytes }: { mimeType: string; bytes: Uint8Array },
  {
    extract = async () => {},
    storageOf = (storage) => storage,
    isBackedUp = false,
  }: {
    extract?: (db: ReadDeps['db'], id: string) => Promise<void>;
    storageOf?: (storage: LocalStorage) => Storage;
    isBackedUp?: boolean;
  } = {},
) => {
  await using database = await openTestDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-pictures-'));
  await using pictures = openPictures(folder.path);
  const { db } = database;
  await using stack = new AsyncDisposableStack();
  if (isBackedUp) {
    const backup = stack.adopt(await database.pool.connect(), async (client) => client.release(true));
    await backup.query('select pg_advisory_lock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
  }
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  const document = await givenDocument(db, { ownerId: (await givenUser(db)).id, mimeType });
  await storage.put(documentKey(document.sha256), Readable.from([bytes]));
  await enqueueJob(db, { documentId: document.id, maxAttempts: 1 });
  const job = await claimJob(db, 'worker', 60_000);
  if (job === undefined) throw new Error('there is a job');
  const opened = {
    ok: true,
    pageCount: 0,
    pages: (async function* () {
      await extract(db, document.id);
      yield* [];
    })(),
    [Symbol.asyncDispose]: async () => {},
  };
  const outcome = await readDocument(
    job,
    document,
    {
      db,
      storage: storageOf(storage),
      extractor: { extract: async () => opened, installedLanguages: () => [], pictures } as unknown as ReadDeps['extractor'],
      tempPath: join(folder.path, 'temp'),
      settings: constant({ ocrEnabled: true, versionsKeep: 0 }),
      barcodes: barcodesBy(),
      log: silentLogger(),
    },
    {
      metrics: makeReadingMetrics(makeRegistry('ocr-worker')),
      space: new WorkingSpace(join(folder.path, 'temp')),
      signal: new AbortController().signal,
      onRecognise: () => {},
    },
  );
  const stats = await Promise.all(VARIANTS.map((variant) => storage.stat(thumbnailKey(document.sha256, variant))));
  return { outcome, made: VARIANTS.filter((_, at) => (stats[at]?.sizeBytes ?? 0) > 0) };
};

const PDF = { mimeType: 'application/pdf', bytes: makePdf([{ lines: ['a page'] }]) };

test('the pictures of lists are there when a document has been processed', async (t) => {
  t.deepEqual(await processed(PDF), { outcome: { ok: true, isSigned: false }, made: VARIANTS });
  t.deepEqual(await processed({ mimeType: 'text/plain', bytes: Buffer.from('a note') }), {
    outcome: { ok: true, isSigned: false },
    made: VARIANTS,
  });
});

test('a picture that cannot be made or kept is no fault of the document', async (t) => {
  t.deepEqual(await processed({ mimeType: 'application/pdf', bytes: Buffer.from('no PDF') }), {
    outcome: { ok: true, isSigned: false },
    made: [],
  });
  const full = (storage: LocalStorage): Storage =>
    new Proxy<Storage>(storage, {
      get: (target, name) => {
        if (name === 'put') return () => Promise.reject(new Error('the disk is full'));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  t.deepEqual(await processed(PDF, { storageOf: full }), { outcome: { ok: true, isSigned: false }, made: [] });
});

test('the pictures of a document that is deleted meanwhile do not stay behind', async (t) => {
  t.deepEqual((await processed(PDF, { extract: (db, id) => deleteDocument(db, id).then(() => undefined) })).made, []);
});

test('while a backup runs, which may have rows of the deleted document, its pictures are left for the sweep', async (t) => {
  const { made } = await processed(PDF, { extract: (db, id) => deleteDocument(db, id).then(() => undefined), isBackedUp: true });
  t.deepEqual(made, VARIANTS);
});
