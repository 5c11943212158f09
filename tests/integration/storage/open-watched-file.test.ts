import { execFileSync } from 'node:child_process';
import { appendFile, link, lstat, mkdir, mkdtempDisposable, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { factsOf, isUnchanged, openWatchedFile, sortOf, type WatchedFile } from '@sheaf/storage/folders';
import anyTest, { type TestFn } from 'ava';

interface Context {
  readonly root: string;
  readonly outside: string;
  readonly file: WatchedFile;
  readonly path: string;
  readonly drop: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

// A file that was looked at, and what may happen before it is opened.
test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-open-'));
  const real = await realpath(folder.path);
  const [root, outside] = [join(real, 'watch'), join(real, 'outside')];
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(outside);
  const path = join(root, 'sub/a.txt');
  await writeFile(path, 'words');
  const stats = await lstat(path);
  const file = { path: 'sub/a.txt', name: 'a.txt', fsPath: path, sort: sortOf(stats), facts: factsOf(stats) };
  t.context = { root, outside, file, path, drop: () => folder.remove() };
});
test.afterEach.always((t) => t.context.drop());

const openedAs = async ({ file, root }: Context): Promise<string> => {
  const opened = await openWatchedFile(file, root);
  if (opened.kind === 'open') await opened.handle.close();
  return opened.kind;
};

test('the file that was looked at is opened, and is known to be unchanged or not', async (t) => {
  const { file, root, path } = t.context;
  const opened = await openWatchedFile(file, root);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  t.true(await isUnchanged(opened.handle, file));
  await appendFile(path, ' more');
  t.false(await isUnchanged(opened.handle, file));
  t.is(await text(opened.handle.createReadStream({ start: 0 })), 'words more');
});

test('a file that changed, went, or was replaced by another one is not opened', async (t) => {
  const { path, outside } = t.context;
  await rename(path, join(outside, 'a.txt'));
  t.is(await openedAs(t.context), 'changed');
  await writeFile(path, 'words');
  t.is(await openedAs(t.context), 'changed');
});

test('a link in the place of the file is not followed', async (t) => {
  const { path, outside } = t.context;
  await rename(path, join(outside, 'a.txt'));
  await symlink(join(outside, 'a.txt'), path);
  t.is(await openedAs(t.context), 'changed');
});

test('a fifo in the place of the file does not make us wait', async (t) => {
  await rm(t.context.path);
  execFileSync('mkfifo', [t.context.path]);
  t.is(await openedAs(t.context), 'changed');
});

test('a folder that became a link out of the root leads nowhere', async (t) => {
  const { root, outside } = t.context;
  await rename(join(root, 'sub'), join(outside, 'sub'));
  await symlink(join(outside, 'sub'), join(root, 'sub'));
  t.is(await openedAs(t.context), 'outside');
});

test('a folder beside the root whose name begins like it is outside', async (t) => {
  const { root } = t.context;
  await rename(root, `${root}-old`);
  await mkdir(root);
  await symlink(`${root}-old/sub`, join(root, 'sub'));
  t.is(await openedAs(t.context), 'outside');
});

test('a root that was renamed under its files does not make them files from outside', async (t) => {
  const { root } = t.context;
  await rename(root, `${root}-old`);
  await symlink(`${root}-old`, root);
  t.is(await openedAs(t.context), 'changed');
});

test('a second name of the file makes it another one', async (t) => {
  await link(t.context.path, join(t.context.outside, 'a.txt'));
  t.is(await openedAs(t.context), 'changed');
});
