import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { givenUser } from '@sheaf/testkit';
import type { WatchRoot } from '@sheaf/watcher/testing';
import anyTest, { type TestFn } from 'ava';
import { isRoot, testWhere } from '../../support/conditional-test.ts';
import { openWatchBench, type WatchBench } from './fixture.ts';

interface Context {
  readonly bench: WatchBench;
  readonly roots: WatchRoot[];
  readonly add: (name: string, files: readonly string[]) => Promise<string>;
}
const test = anyTest as TestFn<Context>;

// The folder of somebody who means harm, or does it, beside the one of somebody else.
test.beforeEach(async (t) => {
  const bench = await openWatchBench();
  const roots: WatchRoot[] = [];
  t.context = {
    bench,
    roots,
    add: async (name, files) => {
      const path = join(bench.folder, name);
      await mkdir(path);
      for (const file of files) await writeFile(join(path, file), `${name} ${file}`);
      roots.push({ path, ledgerPrefix: `${name}/`, owner: { id: (await givenUser(bench.db, { username: name })).id } });
      return path;
    },
  };
});
test.afterEach.always((t) => t.context.bench[Symbol.asyncDispose]());

const named = (count: number, end: string): string[] => Array.from({ length: count }, (_, i) => `${i}${end}`);

test.serial('who drops no end of files that are refused keeps nobody else waiting, and all of them are noted in the end', async (t) => {
  const { bench, roots, add } = t.context;
  await add('mallory', named(50, '.exe'));
  await add('anna', ['a.txt']);
  const { scan } = bench.makeScanner({ route: 'user_watch', findRoots: async () => roots, maxNotesARoot: 20 });
  for (const noted of [20, 40, 50, 50]) {
    await scan();
    t.is((await bench.ledger()).filter((line) => line.includes('ignored')).length, noted);
    t.deepEqual(await bench.titles(), ['a']);
  }
});

testWhere(
  isRoot,
  'only root may take rights away from a process',
  test.serial,
)('who has no end of files that cannot be moved does not keep the files of others from being moved', async (t) => {
  const { bench, roots, add } = t.context;
  const NOBODY = 65_534;
  const mallory = await add('mallory', named(250, '.txt'));
  const anna = await add('anna', []);
  await chmod(bench.folder, 0o777);
  await chmod(anna, 0o777);
  await chmod(mallory, 0o555);
  process.seteuid?.(NOBODY);
  try {
    const { scan, scanner } = bench.makeScanner({ route: 'user_watch', findRoots: async () => roots, moves: true });
    await scan();
    await writeFile(join(anna, 'a.txt'), 'of anna');
    t.is((await scan()).taken, 1);
    t.is(scanner.health().status, 'warning');
  } finally {
    process.seteuid?.(0);
  }
  t.deepEqual(await readdir(anna), []);
  t.is((await readdir(mallory)).length, 250);
});
