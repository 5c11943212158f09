// What variables of the ocr-worker do: how a document ends, and when it is tried again.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { FactFinder } from '@sheaf/filing/facts';
import { complete, fail, jobSettings } from '@sheaf/ocr-worker/testing';
import { claimJob, getJobDocument } from '@sheaf/queue';
import { CODE_CACHE_ENVIRONMENT, drawLines } from '@sheaf/testkit';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openIngestBench } from '../ingest/fixture.ts';

const settingsOf = (environment: Readonly<Record<string, string>>) => jobSettings(loadConfig({ environment }).config);

type Bench = Awaited<ReturnType<typeof openIngestBench>>;

const rowsOf = (bench: Bench, statement: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> =>
  bench.rows(statement, ...values) as Promise<Record<string, unknown>[]>;

const claimed = async ({ db, take }: Bench, filename: string) => {
  await take(filename, { filename, ledgerPath: filename, route: 'upload' });
  const job = await claimJob(db, 'worker', 60_000);
  const document = job && (await getJobDocument(db, job));
  if (job === undefined || document === undefined) throw new Error('there is a job');
  return { job, document };
};

test('OCR_CONFIDENCE_THRESHOLD is the confidence below which a document needs attention', async (t) => {
  await using bench = await openIngestBench();
  const needsAttention = async (threshold: string): Promise<unknown> => {
    const { job, document } = await claimed(bench, `at-${threshold}.txt`);
    await bench.rows(
      `insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'birch', 0.45, 'ocr')`,
      document.id,
    );
    await complete(bench.db, job, document, settingsOf({ OCR_CONFIDENCE_THRESHOLD: threshold }), [], {});
    return (await rowsOf(bench, 'select needs_attention from documents where id = $1', document.id))[0]?.['needs_attention'];
  };
  t.deepEqual([await needsAttention('0.4'), await needsAttention('0.5')], [false, true]);
});

test('DATE_ORDER is the order of the numbers in a date that does not show it', async (t) => {
  await using bench = await openIngestBench();
  const { document } = await claimed(bench, 'dated.txt');
  await bench.rows(
    `insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'Invoice date: 03/04/2025', 1, 'text')`,
    document.id,
  );
  const dateWith = async (environment: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const { config } = loadConfig({ environment });
    const finder = new FactFinder({ db: bench.db, roles: config.signIn.roles, dateOrder: config.ocr.dateOrder });
    return (await finder.find(document)).facts.find(({ kind }) => kind === 'document_date')?.value;
  };
  t.deepEqual([await dateWith({ DATE_ORDER: 'DMY' }), await dateWith({ DATE_ORDER: 'mdy' })], ['2025-04-03', '2025-03-04']);
});

test('OCR_RETRY_DELAY is the pause before a document is tried again', async (t) => {
  await using bench = await openIngestBench();
  const { job, document } = await claimed(bench, 'a.txt');
  t.is(await fail(bench.db, job, document, { reason: 'internal' }, settingsOf({ OCR_RETRY_DELAY: '500' })), 'retried');
  const [row] = await rowsOf(bench, 'select extract(epoch from due_at - now()) as seconds from ocr_jobs');
  const seconds = Number(row?.['seconds']);
  t.true(seconds > 400 && seconds <= 500, String(seconds));
});

/** A worker with this environment, on the documents of the bench: it writes to the folder of that, so it ends first. */
const startWorker = (bench: Bench, env: Readonly<Record<string, string>>): AsyncDisposable => {
  const worker = fork(join(import.meta.dirname, '../../../apps/ocr-worker/src/main.ts'), [], {
    cwd: bench.folder,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE_URL: bench.database.url.reveal(),
      UPLOAD_PATH: join(bench.folder, 'store'),
      PROBE_PORT_BASE: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  return {
    [Symbol.asyncDispose]: async () => {
      worker.kill('SIGTERM');
      if (worker.exitCode === null) await once(worker, 'exit');
    },
  };
};

const takePictures = async ({ take }: Bench, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    const filename = `${n}.png`;
    const bytes = await drawLines([`the lazy dog near harbour ${n}`])
      .png()
      .toBuffer();
    await take(bytes, { filename, ledgerPath: filename, route: 'upload', allowedExtensions: ['png'] });
  }
};

fullOnly(test)('OCR_ENABLED=false: a worker completes a picture without reading it', async (t) => {
  await using bench = await openIngestBench();
  await takePictures(bench, 1);
  await using _worker = startWorker(bench, { OCR_ENABLED: 'false' });
  const completed = async () => (await rowsOf(bench, 'select content_excerpt as content from documents where status = $1', 'completed'))[0];
  t.deepEqual(await waitFor(completed, { description: 'the document to be completed', limitMs: 30_000 }), { content: '' });
});

fullOnly(test)('CONCURRENT_OCR_JOBS limits the documents that a worker reads, with three more while they wait for OCR', async (t) => {
  await using bench = await openIngestBench();
  const programs = join(bench.folder, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'tesseract'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  await takePictures(bench, 9);
  await using _worker = startWorker(bench, {
    CONCURRENT_OCR_JOBS: '5',
    WORKER_THREADS: '2',
    OCR_OEM: '3',
    OCR_RUNNER: 'native',
    SHUTDOWN_GRACE_SECONDS: '1',
    PATH: `${programs}:${process.env['PATH']}`,
  });
  const processing = async () => (await rowsOf(bench, 'select id from documents where status = $1', 'processing')).length;
  await waitFor(async () => (await processing()) === 8, { description: 'eight documents to be read', limitMs: 30_000 });
  t.is((await rowsOf(bench, 'select id from documents where status = $1', 'pending')).length, 1);
});
