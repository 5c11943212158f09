import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtempDisposable, readdir, readFile, realpath, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { factsOf, sortOf, type WatchedFile } from '@sheaf/storage/folders';
import { type MoveOutcome, type MovePoint, moveProcessed } from '@sheaf/watcher/testing';
import { type OtherFileSystem, requireOtherFileSystem } from '../../fixtures/other-file-system.ts';

/** A watch folder and a processed folder, on one file system or on two. */
export interface MoveBench extends AsyncDisposable {
  readonly watch: string;
  readonly processed: string;
  /** Outside both. */
  readonly outside: string;
  readonly drop: (path: string, text?: string | Buffer) => Promise<WatchedFile>;
  readonly look: (path: string) => Promise<WatchedFile>;
  readonly move: (file: WatchedFile, at?: (point: MovePoint) => void | Promise<void>) => Promise<MoveOutcome>;
  /** `path text` of every file, by path; a folder that is empty ends in `/`. */
  readonly watched: () => Promise<string[]>;
  readonly moved: () => Promise<string[]>;
}

export const sha256Of = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Long ago, with a fraction of a second. */
export const MODIFIED_MS = 1_700_000_000_123;

const listing = async (root: string): Promise<string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(root, path);
      if (entry.isFile()) return `${name} ${await readFile(path, 'utf8')}`;
      if (!entry.isDirectory()) return `${name} ->`;
      return (await readdir(path)).length === 0 ? `${name}/` : undefined;
    }),
  );
  return lines.filter((line) => line !== undefined).toSorted();
};

const look = async (root: string, path: string): Promise<WatchedFile> => {
  const fsPath = join(root, path);
  const stats = await lstat(fsPath);
  return { path, name: basename(path), fsPath, sort: sortOf(stats), facts: factsOf(stats) };
};

/** Both folders on one file system. */
export const openMoveBench = (): Promise<MoveBench> => openBench(undefined);

/** The processed folder on another file system. Fails where there is none. */
export const openMoveBenchAcross = async (): Promise<MoveBench> => openBench(await requireOtherFileSystem());

const openBench = async (other: OtherFileSystem | undefined): Promise<MoveBench> => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-move-'));
  const real = await realpath(folder.path);
  const [watch, outside, processed] = [join(real, 'watch'), join(real, 'outside'), join(other?.path ?? real, 'processed')];
  for (const path of [watch, outside, processed]) await mkdir(path);
  const hashes = new Map<string, string>();
  return {
    watch,
    processed,
    outside,
    drop: async (path, text = 'words') => {
      await mkdir(dirname(join(watch, path)), { recursive: true });
      await writeFile(join(watch, path), text);
      await utimes(join(watch, path), new Date(), new Date(MODIFIED_MS));
      hashes.set(path, sha256Of(text));
      return look(watch, path);
    },
    look: (path) => look(watch, path),
    move: (file, at) =>
      moveProcessed(
        { file, realRoot: watch, sha256: hashes.get(file.path) ?? '', processedFolder: processed, relativePath: file.path },
        at,
      ),
    watched: () => listing(watch),
    moved: () => listing(processed),
    [Symbol.asyncDispose]: async () => {
      await folder.remove();
      await other?.[Symbol.asyncDispose]();
    },
  };
};

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/watcher/killed-move.ts');

/** Moves the file in a process of its own, which ends itself at that point. Rejects with `signal: 'SIGKILL'` when it did. */
export const moveInProcess = async (
  { watch, processed }: MoveBench,
  path: string,
  point: MovePoint | 'nowhere',
  user: { uid?: number; gid?: number } = {},
): Promise<MoveOutcome> => {
  const sha256 = sha256Of(await readFile(join(watch, path)));
  const { stdout } = await run(process.execPath, [SCRIPT, watch, processed, path, sha256, point], user);
  return JSON.parse(stdout);
};
