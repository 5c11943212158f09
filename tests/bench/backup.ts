import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openScratchDatabase } from './scratch-database.ts';
import { fillStored, runCommand, timed } from './stored-library.ts';

const MB = 1_000_000;
const SIZE = { fileBytes: 50_000, pages: 3, pageWords: 300 };

const run$ = promisify(execFile);

const bytesBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** `sheaf backup`, once anew and once more, and `sheaf restore` into an empty instance, beside `cp -r` of the stored files. */
export const measureBackup = async (documents: number): Promise<void> => {
  await using source = await openScratchDatabase();
  await using target = await openScratchDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-backup-'));
  const [from, to, backups] = ['from', 'to', 'backups'].map((name) => join(folder.path, name)) as [string, string, string];
  const instance = { database: source, folder: from };
  await fillStored(instance, 0, documents, SIZE);
  await run$('sync');
  const copy = await timed(() => run$('cp', ['-r', join(from, 'uploads'), join(folder.path, 'copy')]));

  const first = await runCommand('sheaf', ['backup'], instance, backups);
  const again = await runCommand('sheaf', ['backup'], instance, backups);
  const entry = again.result.split('\n').at(-1) ?? '';
  const megabytes = (await bytesBelow(entry)) / MB;
  const restore = await runCommand('sheaf', ['restore', entry], { database: target, folder: to }, backups);
  const { rows } = await target.pool.query<{ n: number }>('select count(*)::int as n from documents');
  if (rows[0]?.n !== documents) throw new Error(`${rows[0]?.n} documents were restored`);

  const line = (what: string, seconds: number): void =>
    console.log(
      `${what}: ${seconds.toFixed(1)} s, ${(megabytes / seconds).toFixed(0)} MB/s; ${(copy.seconds / seconds).toFixed(2)} of the speed of cp -r`,
    );
  console.log(
    `${documents} documents of ${SIZE.fileBytes / 1_000} kB with ${SIZE.pages} pages each: ${megabytes.toFixed(0)} MB in the backup; cp -r of the stored files takes ${copy.seconds.toFixed(1)} s`,
  );
  line('backup', first.seconds);
  line('backup once more, with nothing new', again.seconds);
  line('restore', restore.seconds);
};
