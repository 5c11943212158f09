// Processes that decode pictures: how long they live, and what ends them.

import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageHost, type ImageHostSettings } from '@sheaf/extraction/testing/images';
import { waitFor } from '@sheaf/process';
import { drawLines } from '@sheaf/testkit';
import test from 'ava';
import { extractionLimits } from '../../support/extraction.ts';

const WEAR = { requests: 100, ageMs: 60_000, residentBytes: 1024 ** 3, idleMs: 60_000 };
const LIMIT = { timeoutMs: 30_000, signal: new AbortController().signal };

interface Scene {
  readonly host: ImageHost;
  /** Has a process look at the picture. */
  readonly look: (limit?: typeof LIMIT) => Promise<unknown>;
  /** The folders of the processes that live, each of which has one of its own. */
  readonly processes: () => Promise<readonly string[]>;
}

const withHost = async (settings: Partial<ImageHostSettings>, use: (scene: Scene) => Promise<void>): Promise<void> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-images-'));
  const scratchPath = join(folder.path, 'scratch');
  const host = new ImageHost({ scratchPath, limits: extractionLimits, processes: 2, wear: WEAR, ...settings });
  const path = join(folder.path, 'picture.png');
  await writeFile(path, await drawLines(['a picture']).png().toBuffer());
  try {
    await use({
      host,
      look: (limit = LIMIT) => host.ask({ kind: 'inspect', path, mimeType: 'image/png' }, limit),
      processes: () => readdir(scratchPath),
    });
  } finally {
    await host.close();
  }
};

const SEEN = { ok: true, pages: 1, dpi: 0 };

test('one process serves pictures one after the other, and not more than allowed serve them at once', async (t) => {
  await withHost({}, async ({ look, processes }) => {
    t.deepEqual(await look(), SEEN);
    const first = await processes();
    t.is(first.length, 1);
    for (let n = 0; n < 5; n += 1) await look();
    t.deepEqual(await processes(), first);
    t.deepEqual(
      await Promise.all(Array.from({ length: 12 }, () => look())),
      Array.from({ length: 12 }, () => SEEN),
    );
    t.is((await processes()).length, 2);
  });
});

for (const [why, wear] of Object.entries({
  'has served so many requests': { requests: 2 },
  'has lived for so long': { ageMs: 0 },
  'has grown to such a size': { residentBytes: 1 },
}))
  test(`a process that ${why} makes place for a new one`, async (t) => {
    await withHost({ wear: { ...WEAR, ...wear } }, async ({ look, processes }) => {
      await look();
      const first = await processes();
      await look();
      await look();
      await waitFor(async () => !(await processes()).some((name) => first.includes(name)), {
        description: 'the process to leave',
        limitMs: 20_000,
      });
      t.deepEqual(await look(), SEEN);
    });
  });

test('a process that nobody asks leaves', async (t) => {
  await withHost({ wear: { ...WEAR, idleMs: 50 } }, async ({ look, processes }) => {
    await look();
    await waitFor(async () => (await processes()).length === 0, { description: 'the process to leave', limitMs: 20_000 });
    t.deepEqual(await look(), SEEN);
  });
});

test('a process ends with what it works on: when it takes too long, and when it is no longer wanted', async (t) => {
  await withHost({}, async ({ look, processes }) => {
    await look();
    t.like(await look({ ...LIMIT, timeoutMs: 0 }), { ok: false, reason: 'timeout' });
    t.deepEqual(await processes(), []);
    await look();
    const abort = new AbortController();
    const looking = look({ ...LIMIT, signal: abort.signal });
    setImmediate(() => abort.abort(new Error('no longer wanted')));
    await looking.then(
      () => t.pass('it was faster'),
      (error: unknown) => t.like(error, { message: 'no longer wanted' }),
    );
    t.deepEqual(await look(), SEEN);
  });
});
