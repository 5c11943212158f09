import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '@sheaf/db';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { openScratchDatabase } from './scratch-database.ts';

const ROOT = join(import.meta.dirname, '../..');
const MB = 1_000_000;
const FILE_BYTES = 50_000;
const PAGES = 3;
const PAGE_WORDS = 300;
const BATCH = 500;

const run$ = promisify(execFile);

const words = (n: number): string => Array.from({ length: PAGE_WORDS }, (_, i) => `word${(n * 7 + i * 13) % 5_000}`).join(' ');

/** Documents with their bytes and pages, as if they had been read. */
const fill = async ({ pool }: Database, storage: LocalStorage, count: number): Promise<void> => {
  const owner = '00000000-0000-7000-8000-000000000001';
  await pool.query(`insert into users (id, username, email, role) values ($1, 'admin', 'admin@example.org', 'admin')`, [owner]);
  for (let begin = 0; begin < count; begin += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - begin) }, (_, i) => {
      const content = randomBytes(FILE_BYTES);
      return { n: begin + i, content, sha256: createHash('sha256').update(content).digest('hex') };
    });
    await Promise.all(batch.map(({ content, sha256 }) => storage.put(documentKey(sha256), content)));
    await pool.query(
      `with made as (
         insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, status, page_count, source)
         select gen_random_uuid(), $1, 'Document ' || n, n || '.pdf', 'application/pdf', $2, sha256, path, 'eng', 'completed', $3, 'upload'
         from unnest($4::int[], $5::text[], $6::text[]) as given (n, sha256, path)
         returning id)
       insert into document_pages (document_id, page, content, confidence, origin)
       select made.id, page, $7 || ' ' || page || ' ' || made.id, 1, 'text' from made, generate_series(1, $3) as page`,
      [
        owner,
        FILE_BYTES,
        PAGES,
        batch.map(({ n }) => n),
        batch.map(({ sha256 }) => sha256),
        batch.map(({ sha256 }) => storage.pathOf(documentKey(sha256))),
        words(begin),
      ],
    );
  }
};

const bytesBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

interface Instance {
  readonly database: Database;
  readonly folder: string;
}

const envOf = ({ database, folder }: Instance, backups: string) => ({
  PATH: process.env['PATH'] ?? '',
  DATABASE_URL: database.url.reveal(),
  DATA_PATH: join(folder, 'data'),
  UPLOAD_PATH: join(folder, 'uploads'),
  WATCH_FOLDER: join(folder, 'watch'),
  BACKUP_PATH: backups,
});

const timed = async <T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> => {
  const begin = performance.now();
  const result = await work();
  return { seconds: (performance.now() - begin) / 1_000, result };
};

const sheaf = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  timed(async () => (await run$(join(ROOT, 'bin/sheaf'), [...args], { env, cwd: ROOT, maxBuffer: 64 * MB })).stdout.trim());

/** `sheaf backup`, once anew and once more, and `sheaf restore` into an empty instance, beside `cp -r` of the stored files. */
export const measureBackup = async (documents: number): Promise<void> => {
  await using source = await openScratchDatabase();
  await using target = await openScratchDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-backup-'));
  const [from, to, backups] = ['from', 'to', 'backups'].map((name) => join(folder.path, name)) as [string, string, string];
  const uploads = join(from, 'uploads');
  await fill(source, new LocalStorage({ path: uploads, thumbnailPath: join(uploads, 'thumbnails') }), documents);
  await run$('sync');
  const copy = await timed(() => run$('cp', ['-r', uploads, join(folder.path, 'copy')]));

  const env = envOf({ database: source, folder: from }, backups);
  const first = await sheaf(['backup'], env);
  const again = await sheaf(['backup'], env);
  const entry = again.result.split('\n').at(-1) ?? '';
  const megabytes = (await bytesBelow(entry)) / MB;
  const restore = await sheaf(['restore', entry], envOf({ database: target, folder: to }, backups));
  const { rows } = await target.pool.query<{ n: number }>('select count(*)::int as n from documents');
  if (rows[0]?.n !== documents) throw new Error(`${rows[0]?.n} documents were restored`);

  const line = (what: string, seconds: number): void =>
    console.log(
      `${what}: ${seconds.toFixed(1)} s, ${(megabytes / seconds).toFixed(0)} MB/s; ${(copy.seconds / seconds).toFixed(2)} of the speed of cp -r`,
    );
  console.log(
    `${documents} documents of ${FILE_BYTES / 1_000} kB with ${PAGES} pages each: ${megabytes.toFixed(0)} MB in the backup; cp -r of the stored files takes ${copy.seconds.toFixed(1)} s`,
  );
  line('backup', first.seconds);
  line('backup once more, with nothing new', again.seconds);
  line('restore', restore.seconds);
};
