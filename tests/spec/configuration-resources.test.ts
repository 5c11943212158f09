// The rows of the specification's resource variables (in Limits): default, and where another value arrives.
import { availableParallelism } from 'node:os';
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const MEGABYTE = 1024 * 1024;
/** Enough for any number of page readers. */
const ROOMY = { MEMORY_LIMIT_MB: '1000000' };

const ROWS: readonly VariableRow[] = [
  {
    name: 'MEMORY_LIMIT_MB',
    read: ({ resources }) => resources.memoryLimitBytes,
    byDefault: 2_048 * MEGABYTE,
    given: ['512', 512 * MEGABYTE],
  },
  { name: 'CPU_CORES', read: ({ resources }) => resources.cores, byDefault: availableParallelism(), given: ['3', 3] },
  {
    name: 'WORKER_THREADS',
    read: ({ resources }) => resources.workerThreads,
    byDefault: availableParallelism(),
    given: ['3', 3],
    beside: ROOMY,
  },
  {
    name: 'BLOCKING_THREADS',
    read: ({ resources }) => resources.blockingThreads,
    byDefault: 512,
    given: ['3', 3],
    beside: { CPU_CORES: '128' }, // four for each core at most
  },
  { name: 'BATCH_SIZE', read: ({ bulk }) => bulk.batchSize, byDefault: 100, given: ['7', 7] },
  { name: 'PARALLEL_UPLOADS', read: ({ bulk }) => bulk.parallelUploads, byDefault: 5, given: ['2', 2] },
];

for (const { name, read, byDefault, given, beside = {} } of ROWS)
  test(`Limits, resources: ${name}`, (t) => {
    t.deepEqual(read(load(beside)), byDefault, 'by default');
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1], 'when set');
  });

test('Limits, resources: what MEMORY_LIMIT_MB leaves for programs that parse documents is divided between the ocr-workers', (t) => {
  const megabytes = (env: Record<string, string>): number => load(env).resources.parserMemoryBytes / MEGABYTE;
  t.is(megabytes({}), 1_348);
  t.is(megabytes({ MEMORY_LIMIT_MB: '4700', OCR_WORKER_PROCESSES: '4' }), 1_000);
  t.is(megabytes({ MEMORY_LIMIT_MB: '512' }), 512, 'never less than an office takes');
});

test('Limits, resources: each is a whole number above nothing', (t) => {
  for (const { name } of ROWS)
    for (const text of ['0', '-1', '1.5', 'many'])
      t.regex(t.throws(() => load({ [name]: text }), { instanceOf: ConfigError }).message, new RegExp(name));
});

test('Limits, resources: half of MEMORY_LIMIT_MB is the largest heap of one process, and the embedded database counts with it', (t) => {
  const { resources, embeddedDatabase } = load({ MEMORY_LIMIT_MB: '1000' });
  t.is(resources.heapLimitBytes, 500 * MEGABYTE);
  t.is(embeddedDatabase.memoryBytes, 1_000 * MEGABYTE);
});
