// Statements that the ocr-worker sends for a document: with texts they are most of what it does.

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Extractor } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { JobRunner } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { claimJob } from '@sheaf/queue';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { extractionSettings } from '../../support/extraction.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { openCounted } from '../../support/sent-statements.ts';

/**
 * From the claim of the job to its end, `begin` and `commit` among them, for the second text of its owner. Each takes a tenth of a millisecond
 * of the worker and as much of the server, or more.
 */
const MOST_STATEMENTS = 24;

test('a text of one page takes no more statements than were measured', async (t) => {
  await using database = await openTestDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-statements-'));
  await using counted = openCounted(database);
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  await using extractor = await Extractor.open(constant(extractionSettings(join(folder.path, 'extraction'))), silentLogger());
  const { id: ownerId } = await givenUser(database.db);
  const runner = new JobRunner({
    reading: { db: counted.db, storage, extractor, tempPath: join(folder.path, 'temp'), barcodes: barcodesBy(), log: silentLogger() },
    settings: constant({
      leaseMs: 60_000,
      ocrEnabled: true,
      versionsKeep: 0,
      retryDelayMs: 1,
      confidenceThreshold: 0.5,
      notifications: TOLD_HERE,
    }),
    facts: new FactFinder({ db: counted.db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } }),
    onCompleted: () => {},
    tracer: NO_TRACER,
    registry: makeRegistry('ocr-worker'),
  });
  const process = async (text: string): Promise<void> => {
    const document = await givenDocument(database.db, { ownerId, mimeType: 'text/plain', ocrLanguage: 'eng' });
    await storage.put(documentKey(document.sha256), Readable.from([Buffer.from(text)]));
    await enqueueJob(database.db, { documentId: document.id, maxAttempts: 1 });
    counted.sent.length = 0;
    const job = await claimJob(counted.db, 'worker', 60_000, { host: 'host', languages: ['eng'] });
    if (job === undefined) throw new Error('there is a job');
    const [stop, none] = [new AbortController().signal, () => {}];
    const control = { stop, place: 'kept', othersEnded: Promise.resolve(), onCheckLease: none, onRecognise: none } as const;
    await runner.run(job, control);
    const { rows } = await database.pool.query('select status from documents where id = $1', [document.id]);
    t.deepEqual(rows, [{ status: 'completed' }]);
  };
  await process('A letter of the harbour office of 17 May 2024, total 12.50 EUR');
  await process('Another letter of the harbour office of 18 May 2024, total 31.75 EUR');
  t.true(counted.sent.length <= MOST_STATEMENTS, `${counted.sent.length}: ${counted.sent.join(', ')}`);
});
