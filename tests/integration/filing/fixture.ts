import { join } from 'node:path';
import type { BarcodeSettings } from '@sheaf/contract/sources';
import type { Document } from '@sheaf/db/schema';
import { Extractor } from '@sheaf/extraction';
import type { BarcodeRules } from '@sheaf/filing/barcodes';
import { FactFinder } from '@sheaf/filing/facts';
import type { IncomingFile } from '@sheaf/ingest';
import { JobRunner, type ReadDeps } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { claimJob } from '@sheaf/queue';
import type { Storage } from '@sheaf/storage';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { extractionSettings } from '../../support/extraction.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { documentOf, type IngestBench, openIngestBench } from '../ingest/fixture.ts';

export interface BarcodeBench extends IngestBench {
  readonly extractor: Extractor;
  /** Takes in a file, which stays in the queue. */
  readonly add: (name: string, bytes: Buffer, file?: Partial<IncomingFile>) => Promise<Document>;
  /** Processes the next document of the queue; false where there is none. */
  readonly work: (rules?: Partial<BarcodeRules>, extractor?: Partial<Extractor>, watched?: BarcodeSettings) => Promise<boolean>;
  /** The row of a document, the names of its labels, and what the import log says of it. */
  readonly look: (id: string) => Promise<Record<string, unknown> | undefined>;
}

export interface BarcodeWorker extends Pick<IngestBench, 'db' | 'folder'> {
  readonly storage: Storage;
  readonly extractor: Extractor;
  readonly rules?: Partial<BarcodeRules> | undefined;
  readonly other?: Partial<Extractor> | undefined;
  /** What is otherwise for files of watch folders. */
  readonly watched?: BarcodeSettings | undefined;
}

/** Processes the next document of the queue; false where there is none. */
export const workOnce = async ({
  db,
  folder,
  storage,
  extractor,
  rules = {},
  other = {},
  watched = {},
}: BarcodeWorker): Promise<boolean> => {
  const job = await claimJob(db, 'worker', 60_000);
  if (job === undefined) return false;
  const runner = new JobRunner({
    reading: {
      db,
      storage,
      extractor: {
        extract: extractor.extract.bind(extractor),
        findBarcodes: extractor.findBarcodes.bind(extractor),
        installedLanguages: () => extractor.installedLanguages(),
        pictures: extractor.pictures,
        ...other,
      } as unknown as ReadDeps['extractor'],
      tempPath: join(folder, 'reading'),
      barcodes: { ...barcodesBy(rules), watched },
      log: silentLogger(),
    },
    settings: constant({
      ocrEnabled: false,
      versionsKeep: 0,
      leaseMs: 60_000,
      retryDelayMs: 1,
      confidenceThreshold: 0.5,
      notifications: TOLD_HERE,
    }),
    facts: new FactFinder({ db, roles: CONFIGURED_ROLES }),
    onCompleted: () => undefined,
    tracer: NO_TRACER,
    registry: makeRegistry('ocr-worker'),
  });
  const stop = new AbortController().signal;
  await runner.run(job, { stop, place: 'kept', othersEnded: Promise.resolve(), onCheckLease: () => {}, onRecognise: () => {} });
  return true;
};

export const openBarcodeExtractor = (folder: string): Promise<Extractor> =>
  Extractor.open(constant(extractionSettings(join(folder, 'extraction'))), silentLogger());

/** Documents and a worker that reads barcodes. */
export const openBarcodeBench = async (): Promise<BarcodeBench> => {
  const bench = await openIngestBench();
  const extractor = await openBarcodeExtractor(bench.folder);
  return {
    ...bench,
    extractor,
    add: async (name, bytes, file = {}) =>
      documentOf(
        await bench.take(bytes, { filename: name, ledgerPath: name, maxBytes: 100_000_000, allowedExtensions: ['pdf', 'tiff'], ...file }),
      ),
    work: (rules, other, watched) => workOnce({ ...bench, storage: bench.deps.storage, extractor, rules, other, watched }),
    look: async (id) => {
      const [row] = await bench.rows(
        `select documents.*, ingest_ledger.state, ingest_ledger.reason_code, ingest_ledger.reason_details,
           array(select name from document_labels join labels on labels.id = label_id where document_id = documents.id order by name) as labels
         from documents left join ingest_ledger on ingest_ledger.document_id = documents.id where documents.id = $1`,
        id,
      );
      return row as Record<string, unknown> | undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await extractor.close();
      await bench[Symbol.asyncDispose]();
    },
  };
};
