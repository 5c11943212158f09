import { join } from 'node:path';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { type ExtractionRequest, Extractor } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { makeSignature } from '@sheaf/filing/near-duplicates';
import { complete, makeReadingMetrics, readDocument } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { claimJob } from '@sheaf/queue';
import { LocalStorage, WorkingSpace } from '@sheaf/storage';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { barcodesBy } from './barcode-rules.ts';
import { extractionSettings } from './extraction.ts';
import { TOLD_HERE } from './notification-policies.ts';
import type { RunningApi } from './running-api.ts';

const SETTINGS = { retryDelayMs: 1, confidenceThreshold: 0.5, notifications: TOLD_HERE };

/** What an ocr-worker does with the documents of an api, one after the other. */
export interface DocumentWorker extends AsyncDisposable {
  /** Processes what waits in the queue; the numbers of the pages of each document that were read for it. */
  readonly processAll: () => Promise<ReadonlyMap<string, readonly number[]>>;
}

export const openDocumentWorker = async ({ database: { db }, folder }: RunningApi): Promise<DocumentWorker> => {
  const tempPath = join(folder, 'worker');
  const extractor = await Extractor.open(constant(extractionSettings(tempPath)), silentLogger());
  const storage = new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'thumbnails') });
  const finder = new FactFinder({ db, roles: { permissions: BUILT_IN_ROLES, areFromFile: false } });
  const processOne = async (read: Map<string, number[]>): Promise<boolean> => {
    const job = await claimJob(db, 'worker', 60_000);
    if (job === undefined) return false;
    const [document] = await db.select().from(documents).where(eq(documents.id, job.documentId));
    if (document === undefined) throw new Error('the document is gone');
    const numbers: number[] = [];
    read.set(document.id, numbers);
    const extract = async (request: ExtractionRequest) => {
      const extraction = await extractor.extract(request);
      if (!extraction.ok) return extraction;
      const pages = (async function* () {
        for await (const batch of extraction.pages) {
          numbers.push(...batch.map(({ page }) => page));
          yield batch;
        }
      })();
      return { ...extraction, pages, [Symbol.asyncDispose]: () => extraction[Symbol.asyncDispose]() };
    };
    const outcome = await readDocument(
      job,
      document,
      {
        db,
        storage,
        extractor: { extract, installedLanguages: () => [], pictures: extractor.pictures } as unknown as Extractor,
        tempPath,
        settings: constant({ ocrEnabled: true, versionsKeep: 0 }),
        barcodes: barcodesBy(),
        log: silentLogger(),
      },
      {
        metrics: makeReadingMetrics(makeRegistry('ocr-worker')),
        space: new WorkingSpace(tempPath),
        signal: new AbortController().signal,
        onRecognise: () => {},
      },
    );
    if (!outcome.ok) throw new Error(`the document failed: ${outcome.reason}`);
    const { isSigned } = outcome;
    const found = { facts: await finder.find(document), signature: await makeSignature(db, document.id), isSigned };
    await complete(db, job, document, SETTINGS, [], found);
    return true;
  };
  return {
    processAll: async () => {
      const read = new Map<string, number[]>();
      while (await processOne(read));
      return read;
    },
    [Symbol.asyncDispose]: () => extractor.close(),
  };
};
