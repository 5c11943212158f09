import { mkdtempDisposable, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { FactFinder } from '@sheaf/filing/facts';
import { JobRunner } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { claimJob } from '@sheaf/queue';
import { makePdf } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { makeDocx } from '../fixtures/external-references/ooxml.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import { documentOf, openIngestBench } from '../integration/ingest/fixture.ts';
import { barcodesBy } from './barcode-rules.ts';
import { CONFIGURED_ROLES } from './built-in-roles.ts';
import { extractionSettings } from './extraction.ts';
import { TOLD_HERE } from './notification-policies.ts';
import { makeScan } from './scan.ts';

/** A document of each kind that is processed in another way; each leaves other files on the disk, one after the other. */
export const KINDS = {
  'scan.tiff': async () => Buffer.from(await makeScan(['harbour', 'ledger'])),
  'letter.pdf': async () => makePdf(Array.from({ length: 3 }, (_, at) => ({ lines: [`Letter, page ${at + 1}`] }))),
  'report.docx': async () => makeDocx('<w:p><w:r><w:t>A report</w:t></w:r></w:p>'.repeat(200)),
} as const;

const DISK = '48m';

interface JobRow {
  readonly status: string;
  readonly attempts: number | null;
  readonly error: string | null;
  readonly text: string | null;
  readonly failed_pages: string;
}

/**
 * Processes a document while so many bytes are free on the disk of temporary files, for each of `rooms`; then with all of it free. Without
 * room it waits, and no attempt is counted; it never fails, and has its whole text in the end.
 */
export const assertWaitsForRoom = async (t: ExecutionContext, kind: keyof typeof KINDS, rooms: readonly number[]): Promise<void> => {
  await using bench = await openIngestBench();
  const { db, rows, deps } = bench;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-full-'));
  const disk = join(folder.path, 'disk');
  await using _disk = await mountSmallDisk(disk, DISK);
  const settings = constant({
    ocrEnabled: true,
    versionsKeep: 0,
    leaseMs: 60_000,
    retryDelayMs: 1,
    confidenceThreshold: 0.5,
    notifications: TOLD_HERE,
  });
  const extractor = await Extractor.open(constant(extractionSettings(join(disk, 'extraction'))), silentLogger());
  const runner = new JobRunner({
    reading: {
      db,
      storage: deps.storage,
      extractor,
      tempPath: disk,
      barcodes: barcodesBy({ enabled: true }),
      log: silentLogger(),
    },
    settings,
    facts: new FactFinder({ db, roles: CONFIGURED_ROLES }),
    onCompleted: () => {},
    tracer: NO_TRACER,
    registry: makeRegistry('ocr-worker'),
  });
  const work = async (): Promise<void> => {
    const job = await claimJob(db, 'worker', 60_000);
    if (job === undefined) throw new Error('there is a job');
    await runner.run(job, {
      stop: new AbortController().signal,
      place: 'kept',
      othersEnded: Promise.resolve(),
      onCheckLease: () => {},
      onRecognise: () => {},
    });
  };
  const look = async (id: string): Promise<JobRow> => {
    const [row] = await rows(
      `select d.status, j.attempts, coalesce(d.error_code, j.error_code) as error,
         (select string_agg(content, ' ' order by page) from document_pages where document_id = d.id) as text,
         (select count(*) from document_pages where document_id = d.id and error is not null) as failed_pages
       from documents d left join ocr_jobs j on j.document_id = d.id and j.status <> 'completed' where d.id = $1`,
      id,
    );
    return row as JobRow;
  };
  const filler = join(disk, 'filler');
  const fill = async (roomBytes: number): Promise<void> => {
    const { bavail, bsize } = await statfs(disk);
    await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - roomBytes)));
  };
  try {
    const allowed = ['tiff', 'pdf', 'docx'];
    const bytes = await KINDS[kind]();
    const { id } = documentOf(await bench.take(bytes, { filename: kind, allowedExtensions: allowed, maxBytes: 50_000_000 }));
    let waited = 0;
    for (const roomBytes of rooms) {
      await fill(roomBytes);
      await work();
      const row = await look(id);
      await rm(filler);
      if (row.status === 'completed') break; // there was room enough
      waited += 1;
      t.like(row, { status: 'pending', attempts: 0, error: null, failed_pages: '0' }, `${roomBytes} bytes free: ${JSON.stringify(row)}`);
      t.like(runner.space.health(), { status: 'unhealthy' });
    }
    t.true(waited > 0);
    if ((await look(id)).status !== 'completed') await work();
    const row = await look(id);
    t.like(row, { status: 'completed', error: null, failed_pages: '0' }, JSON.stringify(row));
    t.regex(String(row.text), /harbour line 12[^]*ledger line 12|Letter, page 3|A report/);
    t.deepEqual(
      (await readdir(disk)).filter((name) => name !== 'extraction'),
      [],
      'nothing is left behind',
    );
  } finally {
    await extractor.close();
  }
};
