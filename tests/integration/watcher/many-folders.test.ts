import { mkdir, mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@sheaf/process';
import { FolderNudger } from '@sheaf/watcher/testing';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

/** How many things this process watches, as the kernel says. */
const countWatches = async (): Promise<number> => {
  const facts = await Promise.all(
    (await readdir('/proc/self/fdinfo')).map((fd) => readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '')),
  );
  return facts.join('\n').match(/^inotify wd:/gm)?.length ?? 0;
};

test.serial(
  'of more folders than are worth their watches only so many are watched, and the scans find what happens in the others',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-nudge-'));
    for (let i = 0; i < 60; i += 1) await mkdir(join(folder.path, `${i % 6}/${i}`), { recursive: true });
    let nudges = 0;
    const nudger = new FolderNudger({
      folder: folder.path,
      depth: undefined,
      processedFolder: join(folder.path, 'processed'),
      log: silentLogger(),
      delayMs: () => 1,
      onNudge: () => (nudges += 1),
      maxFolders: 10,
    });
    t.teardown(() => nudger.stop());
    await nudger.look(0);
    await waitFor(() => nudges > 0, { description: 'the folder to be looked through', limitMs: 20_000 });
    t.is(await countWatches(), 10);
  },
);

test.serial('a folder with more files than are worth it is not watched, until it has fewer', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-nudge-'));
  const messages: string[] = [];
  let nudges = 0;
  const nudger = new FolderNudger({
    folder: folder.path,
    depth: undefined,
    processedFolder: join(folder.path, 'processed'),
    log: { ...silentLogger(), info: (_: unknown, message: string) => void messages.push(message) } as Logger,
    delayMs: () => 1,
    onNudge: () => (nudges += 1),
    maxFiles: 10,
  });
  t.teardown(() => nudger.stop());
  const before = await countWatches();
  await nudger.look(11);
  await nudger.look(12);
  t.deepEqual(messages, ['many files in the watch folder, changes are found by scanning']);
  t.is(await countWatches(), before);
  await nudger.look(10);
  await waitFor(() => nudges > 0, { description: 'the folder to be watched', limitMs: 20_000 });
  t.is(await countWatches(), before + 1);
  await nudger.look(11);
  t.is(await countWatches(), before);
});
