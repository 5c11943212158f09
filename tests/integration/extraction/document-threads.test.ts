// Each document has a thread of its own: whatever it does to that, it fails alone and gives back what it held.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FairSlots, openScratch, type RequestToRead, type SharedParts } from '@sheaf/extraction/internals';
import { DocumentThreads } from '@sheaf/extraction/internals/document-thread';
import { constant } from '@sheaf/process';
import anyTest, { type TestFn } from 'ava';
import { extractionSettings } from '../../support/extraction.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = anyTest as TestFn<{ folder: string; threads: DocumentThreads; slots: FairSlots }>;

const TASK = new URL('../../fixtures/extraction/hostile-document-task.ts', import.meta.url);
const STUCK_MS = 5_000;

test.beforeEach((t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-threads-'));
  const settings = { ...extractionSettings(folder), timeoutMs: STUCK_MS };
  t.context = { folder, threads: new DocumentThreads(constant(settings), TASK), slots: new FairSlots(1) };
});
test.afterEach.always(async (t) => {
  await t.context.threads.close();
  rmSync(t.context.folder, { recursive: true });
});

type Context = { folder: string; threads: DocumentThreads; slots: FairSlots };

const open = async ({ folder, threads, slots }: Context, deed: string, signal = new AbortController().signal) => {
  const request: RequestToRead = {
    path: folder,
    mimeType: 'text/plain',
    filename: deed,
    language: 'eng',
    otherLanguages: [],
    ocr: false,
    donePages: new Set(),
    signal,
  };
  const images = { ask: () => Promise.reject(new Error('no pictures here')) };
  const shared: SharedParts = { slots, images, office: undefined, runner: undefined, detectLanguage: () => Promise.resolve(undefined) };
  const path = join(folder, `${deed}.txt`);
  if (deed === 'a letter') writeFileSync(path, 'Dear harbour office');
  return threads.open({ ...request, path: deed === 'a letter' ? path : folder }, await openScratch(folder, 'document'), shared);
};

const readLetter = async (context: Context): Promise<string> => {
  const opened = await open(context, 'a letter');
  if (!opened.ok) return opened.reason;
  await using document = opened;
  let text = '';
  for await (const pages of document.pages) text += pages.map((page) => page.text).join();
  return text;
};

for (const [deed, reason] of [
  ['spin', 'timeout'],
  ['exit', 'reader_died'],
] as const) {
  test(`a document that makes its thread ${deed} ends as ${reason}, and the one beside it is processed`, async (t) => {
    const [hostile, letter] = await Promise.all([open(t.context, deed), readLetter(t.context)]);
    t.like(hostile, { ok: false, reason });
    t.is(letter, 'Dear harbour office');
    t.is(await readLetter(t.context), 'Dear harbour office', 'and so is the next');
  });
}

test('a document that takes more memory than a thread may ends as memory_exceeded, and the one beside it is processed', async (t) => {
  const settings = extractionSettings(t.context.folder);
  const limits = { ...settings.limits, toolMemoryBytes: 1024 * 1024 };
  const context = { ...t.context, threads: new DocumentThreads(constant({ ...settings, limits }), TASK) };
  const [hostile, letter] = await Promise.all([open(context, 'swell'), readLetter(context)]);
  t.like(hostile, { ok: false, reason: 'memory_exceeded' });
  t.is(letter, 'Dear harbour office');
  await context.threads.close();
});

test('a page reader that a stuck document holds is free again when its thread is ended', async (t) => {
  const stuck = open(t.context, 'spin in a slot');
  await t.context.slots.run({}, new AbortController().signal, async () => {});
  t.like(await stuck, { ok: false, reason: 'timeout' });
  await t.context.slots.run({}, new AbortController().signal, async () => {});
});

test('a thread that does not listen is ended when its document is no longer wanted', async (t) => {
  const abort = new AbortController();
  const deaf = open(t.context, 'deaf', abort.signal);
  abort.abort(new Error('cancelled'));
  await t.throwsAsync(deaf, { message: 'cancelled' });
});

const isAlive = (pid: number): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) Z /.test(stat);
};

test('the programs that a document has started end with its thread', async (t) => {
  const file = join(t.context.folder, 'pid');
  const stuck = open(t.context, 'program');
  const pid = await waitFor(() => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0) || undefined, {
    description: 'a program of the document',
    limitMs: 30_000,
  });
  t.true(isAlive(pid));
  t.like(await stuck, { ok: false, reason: 'timeout' });
  await waitFor(() => !isAlive(pid), { description: 'the program to end', limitMs: 10_000 });
});
