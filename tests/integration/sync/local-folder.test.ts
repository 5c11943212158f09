// Runs over a folder of this machine.
import { link, mkdir, mkdtempDisposable, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { forgetVersions, updateSource } from '@sheaf/sources';
import anyTest, { type TestFn } from 'ava';
import { openSyncBench, type SyncBench } from './fixture.ts';

interface Context extends SyncBench {
  /** Inside the only root. */
  readonly papers: string;
  readonly outside: string;
  readonly drop: (path: string, content: string) => Promise<string>;
  readonly addFolder: (fields?: object) => Promise<string>;
  readonly close: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const base = await mkdtempDisposable(join(tmpdir(), 'sheaf-local-sync-'));
  const real = await realpath(base.path);
  const [papers, outside] = [join(real, 'root/papers'), join(real, 'outside')];
  for (const folder of [papers, outside]) await mkdir(folder, { recursive: true });
  const bench = await openSyncBench({ LOCAL_SOURCE_ROOTS: join(real, 'root') });
  t.context = {
    ...bench,
    papers,
    outside,
    drop: async (path, content) => {
      const full = join(papers, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
      return full;
    },
    addFolder: (fields = {}) =>
      bench.addSource({ type: 'local_folder', url: null, username: null, sealedSecret: null, settings: { path: papers }, ...fields }),
    close: async () => {
      await bench[Symbol.asyncDispose]();
      await base.remove();
    },
  };
});
test.afterEach.always((t) => t.context.close());

const titles = async ({ rows }: Context) => (await rows('select title from documents order by title')).map(({ title }) => title);
const ledger = async ({ rows }: Context) =>
  (await rows('select path, state, reason_code from ingest_ledger order by path')).map(
    ({ path, state, reason_code: code }) => `${String(path)} ${String(state)} ${String(code)}`,
  );

test('files of the folder become documents once, and changed, moved and removed ones are known', async (t) => {
  const { addFolder, drop, run, papers, rows } = t.context;
  await drop('a.txt', 'alder');
  await drop('deep/b.txt', 'birch');
  await drop('c.txt', 'cedar');
  const id = await addFolder();
  t.like(await run(id), { state: 'completed', added: 3, failed: 0 });
  t.deepEqual(await titles(t.context), ['a', 'b', 'c']);
  t.like(await run(id), { state: 'completed', added: 0, updated: 0, skipped: 3 });
  await drop('a.txt', 'alder and ash');
  await rename(join(papers, 'deep/b.txt'), join(papers, 'birch.txt'));
  await rm(join(papers, 'c.txt'));
  t.like(await run(id), { state: 'completed', added: 0, updated: 1, moved: 1, removed: 1, failed: 0 });
  const found = await rows('select title, source, source_removed_at is null as is_there from documents order by title');
  t.deepEqual(found, [
    { title: 'a', source: 'local_folder', is_there: true },
    { title: 'b', source: 'local_folder', is_there: true },
    { title: 'c', source: 'local_folder', is_there: false },
  ]);
});

test('links are noted with the reason, and what a link took the place of is not taken for gone', async (t) => {
  const { addFolder, drop, run, papers, outside, rows } = t.context;
  await writeFile(join(outside, 'secret.txt'), 'of somebody else');
  await drop('in/a.txt', 'alder');
  const id = await addFolder();
  await run(id);
  await symlink(join(outside, 'secret.txt'), join(papers, 'link.txt'));
  await link(join(outside, 'secret.txt'), join(papers, 'second.txt'));
  await rename(join(papers, 'in'), join(outside, 'in'));
  await symlink(join(outside, 'in'), join(papers, 'in'));
  t.like(await run(id), { state: 'completed', added: 0, removed: 0 });
  t.deepEqual(await titles(t.context), ['a']);
  t.deepEqual(await rows('select source_removed_at from documents'), [{ source_removed_at: null }]);
  t.deepEqual(await ledger(t.context), [
    'in ignored symbolic_link',
    'in/a.txt ingested null',
    'link.txt ignored symbolic_link',
    'second.txt ignored hard_link',
  ]);
});

test('a folder that went away, or that a link out of the roots took the place of, ends the run with nothing removed', async (t) => {
  const { addFolder, drop, run, papers, outside, rows } = t.context;
  await drop('a.txt', 'alder');
  await writeFile(join(outside, 'secret.txt'), 'of somebody else');
  const id = await addFolder({ settings: { path: papers, on_remote_delete: 'delete' } });
  await run(id);
  await rename(papers, join(outside, 'papers'));
  const gone = await run(id);
  t.is(gone.state, 'failed');
  t.regex(gone.error ?? '', /The folder does not exist/);
  await symlink(outside, papers);
  const linked = await run(id);
  t.is(linked.state, 'failed');
  t.regex(linked.error ?? '', /LOCAL_SOURCE_ROOTS/);
  t.deepEqual(await titles(t.context), ['a']);
  t.deepEqual(await rows('select source_removed_at from documents'), [{ source_removed_at: null }]);
});

test('a file of another place is fetched, though it has the path, size and time of one that is known', async (t) => {
  const { addFolder, drop, run, papers, rows, database } = t.context;
  const when = new Date('2026-01-02T03:04:05Z');
  await utimes(await drop('here/a.txt', 'alder'), when, when);
  await utimes(await drop('there/a.txt', 'birch'), when, when);
  const id = await addFolder({ settings: { path: join(papers, 'here') } });
  await run(id);
  await database.db.transaction(async (tx) => {
    await updateSource(tx, id, { settings: { path: join(papers, 'there') } });
    await forgetVersions(tx, id);
  });
  t.like(await run(id), { state: 'completed', updated: 1, skipped: 0 });
  t.deepEqual(await rows("select encode(sha256('birch'), 'hex') = sha256 as is_new from documents"), [{ is_new: true }]);
  t.like(await run(id), { state: 'completed', updated: 0, skipped: 1 });
});
