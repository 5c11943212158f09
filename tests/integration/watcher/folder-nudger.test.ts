import { mkdir, mkdtempDisposable, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@sheaf/process';
import { FolderNudger } from '@sheaf/watcher/testing';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

test('a nudge follows what happens in a folder and below, also after it was removed and made again', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-nudge-'));
  const watch = join(folder.path, 'watch');
  let nudges = 0;
  const nudger = new FolderNudger({
    folder: watch,
    depth: undefined,
    processedFolder: join(watch, 'processed'),
    log: silentLogger(),
    delayMs: () => 1,
    onNudge: () => (nudges += 1),
  });
  t.teardown(() => nudger.stop());
  const untilNudged = async (description: string, act: () => Promise<void>): Promise<void> => {
    const before = nudges;
    await act();
    await waitFor(() => nudges > before, { description, limitMs: 20_000 });
  };
  await nudger.look(0);
  t.is(nudges, 0, 'there is no folder yet');
  for (const round of ['first', 'second']) {
    await mkdir(join(watch, 'sub'), { recursive: true });
    await untilNudged(`the ${round} nudge of a new folder`, () => nudger.look(0));
    await untilNudged('a nudge of a file', () => writeFile(join(watch, 'a.txt'), round));
    await untilNudged('a nudge of a file in a subfolder', () => writeFile(join(watch, 'sub/b.txt'), round));
    await untilNudged('a nudge of a rename', () => rename(join(watch, 'sub/b.txt'), join(watch, 'sub/c.txt')));
    await rm(watch, { recursive: true });
  }
});
