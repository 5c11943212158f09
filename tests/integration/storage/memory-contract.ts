import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtempDisposable, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { documentKey, type Storage } from '@sheaf/storage';
import test from 'ava';
import { collectGarbage } from '../../support/collect-garbage.ts';

const MB = 1024 * 1024;
const OBJECT_MB = 200;
/** What an upload may hold at once (64 MB), and what the collector of garbage lets lie about meanwhile. */
const LIMIT_MB = 150;

const givenLargeFile = async (path: string): Promise<string> => {
  await using file = await open(path, 'w');
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(MB); // one for all: memory that was left over would hide what is taken later
  for (let index = 0; index < OBJECT_MB; index += 1) {
    chunk.fill(index);
    await file.write(chunk);
    hash.update(chunk);
  }
  return hash.digest('hex');
};

/** By how much the process grew while `work` ran. What nobody holds any more does not count: how long it lies about is chance. */
const growthMb = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    if (process.memoryUsage.rss() - before >= LIMIT_MB * MB) collectGarbage();
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return (peak - before) / MB;
};

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** That the size of an object does not matter to the memory that it takes. Called once by a test file of its own. */
export const testMemory = (openDriver: () => Promise<{ storage: Storage } & AsyncDisposable>): void => {
  test('an object of 200 MB is put and read with a part of it in memory', async (t) => {
    t.timeout(3 * 120_000);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-large-'));
    await using driver = await openDriver();
    const { storage } = driver;
    const path = join(folder.path, 'large');
    const key = documentKey(await givenLargeFile(path));
    const uses: Record<string, () => Promise<unknown>> = {
      'put from a file': () => storage.put(key, path),
      open: async () => pipeline((await storage.open(key)).stream, nowhere()),
      'local path': async () => rm(await storage.localPath(key, folder.path)),
      'put from a stream': async () => {
        await storage.delete(key);
        await storage.put(key, createReadStream(path));
      },
    };
    for (const [name, use] of Object.entries(uses)) {
      const grown = await growthMb(use);
      t.log(`${name}: ${Math.round(grown)} MB`);
      t.true(grown < LIMIT_MB, `${name} took ${Math.round(grown)} MB`);
    }
  });
};
