import { lstat, mkdir, mkdtempDisposable, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { factsOf, sortOf, type WalkOptions, walkFolder } from '@sheaf/storage/folders';
import { type LedgerFile, statAgain } from '@sheaf/watcher/testing';
import anyTest, { type TestFn } from 'ava';

interface Context {
  readonly watch: string;
  /** Of somebody else. */
  readonly outside: string;
  readonly walk: (options?: Partial<WalkOptions>) => Promise<{ paths: string[]; problems: string[] }>;
  readonly remove: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-walk-'));
  const real = await realpath(folder.path);
  const [watch, outside] = [join(real, 'watch'), join(real, 'outside')];
  for (const path of [watch, join(watch, 'in'), join(watch, 'in/deep'), outside]) await mkdir(path);
  for (const path of ['a.txt', 'in/b.txt', 'in/deep/c.txt']) await writeFile(join(watch, path), path);
  for (const path of ['b.txt', 'secret.txt']) await writeFile(join(outside, path), 'of somebody else');
  t.context = {
    watch,
    outside,
    walk: async (options = {}) => {
      const paths: string[] = [];
      const problems: string[] = [];
      const walk = walkFolder(watch, {
        recursive: true,
        skipsFolder: () => false,
        onUnreadable: (path, error) => problems.push(`${path} ${String(error)}`),
        signal: new AbortController().signal,
        ...options,
      });
      for await (const files of walk) paths.push(...files.map(({ path, facts }) => `${path} ${facts.sizeBytes}`));
      return { paths: paths.toSorted(), problems };
    },
    remove: () => folder.remove(),
  };
});
test.afterEach.always((t) => t.context.remove());

const ALL = ['a.txt 5', 'in/b.txt 8', 'in/deep/c.txt 13'];

test('a walk meets all files, and asks of every folder whether it is left out, also where none is entered', async (t) => {
  const { walk } = t.context;
  t.deepEqual(await walk(), { paths: ALL, problems: [] });
  for (const recursive of [true, false]) {
    const asked: string[] = [];
    const skipsFolder: WalkOptions['skipsFolder'] = ({ name }) => {
      asked.push(name);
      return true;
    };
    t.deepEqual((await walk({ recursive, skipsFolder })).paths, ['a.txt 5']);
    t.deepEqual(asked, ['in']);
  }
  t.deepEqual((await walk({ recursive: false })).paths, ['a.txt 5']);
});

/** Puts a link out of the root in the place of a folder that was listed already. */
const swap = async ({ watch, outside }: Context): Promise<void> => {
  await rename(join(watch, 'in'), join(watch, 'real'));
  await symlink(outside, join(watch, 'in'));
};

test('a folder that becomes a link after it was listed tells nothing of what the link leads to', async (t) => {
  const { walk } = t.context;
  const skipsFolder: WalkOptions['skipsFolder'] = async ({ name }) => {
    if (name === 'in') await swap(t.context);
    return false;
  };
  t.deepEqual(await walk({ skipsFolder }), { paths: ['a.txt 5'], problems: [] });
});

test('nor does a folder that becomes a link while its files are looked at', async (t) => {
  const { walk } = t.context;
  const skipsFolder: WalkOptions['skipsFolder'] = async ({ name }) => {
    if (name === 'deep') await swap(t.context);
    return false;
  };
  t.deepEqual(await walk({ skipsFolder }), { paths: ['a.txt 5', 'in/b.txt 8'], problems: [] });
});

test('a folder that goes while the walk is on is no trouble', async (t) => {
  const { walk, watch } = t.context;
  const skipsFolder: WalkOptions['skipsFolder'] = async ({ name }) => {
    if (name === 'in') await rm(join(watch, 'in'), { recursive: true });
    return false;
  };
  t.deepEqual(await walk({ skipsFolder }), { paths: ['a.txt 5'], problems: [] });
});

test('another look at a file tells nothing of a file elsewhere that a link shows in its place', async (t) => {
  const { watch } = t.context;
  const fsPath = join(watch, 'in/b.txt');
  const stats = await lstat(fsPath);
  const file: LedgerFile = {
    path: 'in/b.txt',
    ledgerPath: 'in/b.txt',
    name: basename(fsPath),
    fsPath,
    sort: sortOf(stats),
    facts: factsOf(stats),
  };
  t.deepEqual(await statAgain(file, watch), file);
  await swap(t.context);
  t.is(await statAgain(file, watch), undefined);
});
