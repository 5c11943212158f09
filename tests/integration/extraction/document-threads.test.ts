// Each document has a thread of its own: whatever it does to that, it fails alone and gives back what it held.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExtractionSettings } from '@sheaf/extraction';
import { FairSlots, openScratch, type RequestToRead, type SharedParts } from '@sheaf/extraction/testing';
import { DocumentThreads } from '@sheaf/extraction/testing/document-thread';
import anyTest, { type TestFn } from 'ava';
import { extractionLimits, extractionSettings } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Context {
  folder: string;
  threads: DocumentThreads;
  slots: FairSlots;
  /** How long the next document that is opened may not answer. */
  setPatience: (ms: number) => void;
}

const test = anyTest as TestFn<Context>;

const TASK = new URL('../../fixtures/extraction/hostile-document-task.ts', import.meta.url);
/** A thread that spins keeps a core busy for so long; others have more time. */
const STUCK_MS = 1_000;
const PATIENT_MS = 60_000;
const STUCK = ['spin', 'stop in a slot', 'program'];

const openThreads = (folder: string, more: Partial<ExtractionSettings> = {}): Pick<Context, 'threads' | 'setPatience'> => {
  let timeoutMs = PATIENT_MS;
  const settings = extractionSettings(folder);
  const current = (): ExtractionSettings => ({ ...settings, timeoutMs, ...more });
  return { threads: new DocumentThreads({ current, subscribe: () => () => {} }, TASK), setPatience: (ms) => void (timeoutMs = ms) };
};

test.beforeEach((t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-threads-'));
  t.context = { folder, ...openThreads(folder), slots: new FairSlots(1) };
});
test.afterEach.always(async (t) => {
  await t.context.threads.close();
  rmSync(t.context.folder, { recursive: true });
});

const open = async ({ folder, threads, slots, setPatience }: Context, deed: string, signal = new AbortController().signal) => {
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
  const scratch = await openScratch(folder, 'document');
  setPatience(STUCK.includes(deed) ? STUCK_MS : PATIENT_MS);
  return threads.open({ ...request, path: deed === 'a letter' ? path : folder }, scratch, shared);
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
  const limits = { ...extractionLimits, toolMemoryBytes: 1024 * 1024 };
  const context = { ...t.context, ...openThreads(t.context.folder, { limits }) };
  const [hostile, letter] = await Promise.all([open(context, 'swell'), readLetter(context)]);
  t.like(hostile, { ok: false, reason: 'memory_exceeded' });
  t.is(letter, 'Dear harbour office');
  await context.threads.close();
});

fullOnly(test)('a page reader that a stuck document holds is free again when its thread is ended', async (t) => {
  const stuck = open(t.context, 'stop in a slot');
  await t.context.slots.run({}, new AbortController().signal, async () => {});
  t.like(await stuck, { ok: false, reason: 'timeout' });
  await t.context.slots.run({}, new AbortController().signal, async () => {});
});

fullOnly(test)('a thread that does not listen is ended when its document is no longer wanted', async (t) => {
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
