import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { extractionSettings } from '@sheaf/ocr-worker/testing';
import test from 'ava';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-readers-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** The page readers of each ocr-worker. */
const readersWith = (environment: Record<string, string>): number[] =>
  Array.from({ length: Number(environment['OCR_WORKER_PROCESSES'] ?? 1) }, (_, instance) => {
    const given = { DATA_PATH: folder, UPLOAD_PATH: join(folder, 'uploads'), PROCESS_INSTANCE: String(instance), ...environment };
    return extractionSettings(loadConfig({ environment: given }).config).readers;
  });

test('WORKER_THREADS are shared between the ocr-workers, and each has one at least', (t) => {
  const roomy = { MEMORY_LIMIT_MB: '100000' };
  t.deepEqual(readersWith({ ...roomy, WORKER_THREADS: '7' }), [7]);
  t.deepEqual(readersWith({ ...roomy, WORKER_THREADS: '7', OCR_WORKER_PROCESSES: '3' }), [3, 2, 2]);
  t.deepEqual(readersWith({ ...roomy, WORKER_THREADS: '2', OCR_WORKER_PROCESSES: '3' }), [1, 1, 1]);
  t.deepEqual(readersWith({ ...roomy, CPU_CORES: '5', OCR_WORKER_PROCESSES: '2' }), [3, 2], 'CPU_CORES where it is not set');
});

test('MEMORY_LIMIT_MB has room for so many page readers, and for so much in one reading program', (t) => {
  t.deepEqual(readersWith({ WORKER_THREADS: '64', MEMORY_LIMIT_MB: '2048' }), [4]);
  t.deepEqual(readersWith({ WORKER_THREADS: '64', MEMORY_LIMIT_MB: '8192' }), [24]);
  t.deepEqual(readersWith({ WORKER_THREADS: '64', MEMORY_LIMIT_MB: '512' }), [1]);
  const toolMegabytes = (environment: Record<string, string>): number =>
    extractionSettings(loadConfig({ environment: { DATA_PATH: folder, UPLOAD_PATH: join(folder, 'uploads'), ...environment } }).config)
      .limits.toolMemoryBytes /
    1024 /
    1024;
  t.is(toolMegabytes({ MEMORY_LIMIT_MB: '512' }), 512);
  t.is(toolMegabytes({ MEMORY_LIMIT_MB: '4096', READ_TOOL_MEMORY_MB: '1024' }), 1_024);
});
