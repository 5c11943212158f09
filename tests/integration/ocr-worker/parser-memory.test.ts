import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ParserMemory, type ProcessedDocument } from '@sheaf/ocr-worker/testing';
import { silentLogger } from '@sheaf/process';
import { commandLineOf } from '@sheaf/process/machine';
import type { JobFailure } from '@sheaf/queue';
import { ExchangeFolder, type RunningTool, startTool } from '@sheaf/sandbox';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const MEGABYTE = 1024 * 1024;

/** A real program with so much memory, started for a file of that name. */
const startProgram = (cwd: string, megabytes: number, file: string): RunningTool => {
  const code = `globalThis.kept = Buffer.alloc(${megabytes} * 1024 * 1024, 1); process.stdout.write('ready\\n'); setInterval(() => {}, 1000)`;
  return startTool({ file: process.execPath, args: ['-e', code, file], cwd });
};

const untilReady = async (tool: RunningTool): Promise<void> => {
  let output = '';
  tool.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await waitFor(() => output.includes('ready'), { description: 'the program to have its memory', limitMs: 60_000 });
};

const openScene = async () => {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-parser-memory-')));
  const exchange = await ExchangeFolder.open(join(folder.path, 'exchange'));
  const failures = new Map<string, JobFailure>();
  const documents: ProcessedDocument[] = ['first', 'second'].map((documentId) => ({
    documentId,
    marks: [`${documentId}-id`, 'same-hash'],
    fail: (failure) => void failures.set(documentId, failure),
  }));
  const settings = { limitBytes: 400 * MEGABYTE, serviceLimitBytes: 2_048 * MEGABYTE };
  const guard = new ParserMemory({ settings, documents: () => documents, log: silentLogger() });
  const start = async (megabytes: number, file: string): Promise<RunningTool> => {
    const tool = startProgram(exchange.path, megabytes, file);
    resources.defer(async () => void (await tool.stop({ force: true })));
    await untilReady(tool);
    return tool;
  };
  return { guard, documents, start, failures, folder: exchange.path, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test.serial(
  'beyond the limit the largest program is ended and its document fails with the variable to raise, the others go on',
  async (t) => {
    await using scene = await openScene();
    const { guard, start, failures } = scene;
    const small = await start(100, '/scratch/document-first-id-x/page.pgm');
    guard.look();
    t.true(small.isRunning, 'there is memory for it');
    const large = await start(300, '/scratch/document-second-id-x/page.pgm');
    guard.look();
    await large.ended;
    t.deepEqual([...failures.keys()], ['second']);
    t.is(failures.get('second')?.reason, 'memory_exceeded');
    t.regex(
      failures.get('second')?.message ?? '',
      /used \d+ MB of memory, and all programs together more than 400 MB\. Increase MEMORY_LIMIT_MB=2048/,
    );
    for (let looks = 0; looks < 5; looks += 1) guard.look();
    t.true(small.isRunning);
    t.deepEqual([...failures.keys()], ['second']);
  },
);

test.serial('a program that stays fails the document that it works on, and none while it rests', async (t) => {
  await using scene = await openScene();
  const { guard, start, failures } = scene;
  const busy = await start(450, '');
  busy.workOn('/scratch/document-first-id-x/page.pgm');
  guard.look();
  await busy.ended;
  t.deepEqual([...failures.keys()], ['first']);
  const resting = await start(450, '');
  resting.workOn('/scratch/document-second-id-x/page.pgm');
  resting.workOn(undefined);
  guard.look();
  await resting.ended;
  t.deepEqual([...failures.keys()], ['first']);
});

test.serial('a process at rest looks soon after a document begins', async (t) => {
  await using scene = await openScene();
  const { guard, documents, start, failures } = scene;
  const begun = documents.splice(0);
  await guard.start();
  const large = await start(450, '/scratch/document-first-id-x/page.pgm');
  documents.push(...begun);
  guard.nudge();
  await waitFor(() => failures.size > 0, { description: 'a look', limitMs: 4_000 });
  await large.ended;
  await guard.stop();
  t.deepEqual([...failures.keys()], ['first']);
});

test.serial('the memory of all that a program started counts as its own, and ends with it', async (t) => {
  await using scene = await openScene();
  const { guard, failures, folder } = scene;
  const child = `globalThis.kept = Buffer.alloc(450 * 1024 * 1024, 1); console.log('ready'); setInterval(() => {}, 1000)`;
  const mark = `/x/second-id/${process.pid}`;
  const tool = startTool({
    file: '/bin/sh',
    args: ['-c', `"$0" -e "$1" "$2" & wait`, process.execPath, child, mark],
    cwd: folder,
    access: { readOnly: [process.execPath] },
  });
  let output = '';
  tool.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await waitFor(() => output.includes('ready'), { description: 'its program', limitMs: 60_000 });
  guard.look();
  await tool.ended;
  t.deepEqual([...failures.keys()], ['second']);
  await waitFor(() => !isRunningWith(mark), { description: 'the program of the program to end', limitMs: 20_000 });
  t.pass();
});

/** Inside a sandbox process ids are others than ours, so it is looked for by its command line. */
const isRunningWith = (mark: string): boolean =>
  readdirSync('/proc').some((name) => /^\d+$/.test(name) && commandLineOf(Number(name)).includes(mark));

test.serial('programs that a thread of this process started count, and what they work on is known', async (t) => {
  await using scene = await openScene();
  const { guard, failures, folder } = scene;
  await guard.start();
  const program = new URL('../../fixtures/runtime/program-in-thread.ts', import.meta.url);
  const thread = new Worker(program, { workerData: { cwd: folder, megabytes: 450, work: '/scratch/document-second-id-x' } });
  const [exitCode] = await once(thread, 'exit');
  t.is(exitCode, 0, 'the thread saw its program end');
  t.deepEqual([...failures.keys()], ['second']);
  await guard.stop();
});
