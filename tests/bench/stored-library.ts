import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '@sheaf/db';
import { documentKey, LocalStorage } from '@sheaf/storage';

const ROOT = join(import.meta.dirname, '../..');
const BATCH = 500;
const MAX_OUTPUT_BYTES = 64_000_000;

const run$ = promisify(execFile);

/** What each document of a library is: a file that nothing can compress, and pages of words. */
export interface DocumentSize {
  readonly fileBytes: number;
  readonly pages: number;
  readonly pageWords: number;
}

const words = (n: number, count: number): string => Array.from({ length: count }, (_, i) => `word${(n * 7 + i * 13) % 5_000}`).join(' ');

/** An instance of the service as its commands see it: a database, and folders below one of its own. */
export interface Instance {
  readonly database: Database;
  readonly folder: string;
}

const uploadsOf = ({ folder }: Instance): string => join(folder, 'uploads');

export const storageOf = (instance: Instance): LocalStorage =>
  new LocalStorage({ path: uploadsOf(instance), thumbnailPath: join(uploadsOf(instance), 'thumbnails') });

/** Documents number `from` to `until` with their bytes and pages, as if they had been read; without entries in the search index. */
export const fillStored = async (instance: Instance, from: number, until: number, size: DocumentSize): Promise<void> => {
  const { pool } = instance.database;
  const storage = storageOf(instance);
  const owner = '00000000-0000-7000-8000-000000000001';
  await pool.query(
    `insert into users (id, username, email, role) values ($1, 'admin', 'admin@example.org', 'admin') on conflict do nothing`,
    [owner],
  );
  for (let begin = from; begin < until; begin += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, until - begin) }, (_, i) => {
      const content = randomBytes(size.fileBytes);
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
        size.fileBytes,
        size.pages,
        batch.map(({ n }) => n),
        batch.map(({ sha256 }) => sha256),
        batch.map(({ sha256 }) => storage.pathOf(documentKey(sha256))),
        words(begin, size.pageWords),
      ],
    );
  }
};

const environmentOf = ({ database, folder }: Instance, backups: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  DATABASE_URL: database.url.reveal(),
  DATA_PATH: join(folder, 'data'),
  UPLOAD_PATH: uploadsOf({ database, folder }),
  WATCH_FOLDER: join(folder, 'watch'),
  BACKUP_PATH: backups,
});

export interface Timed<T> {
  readonly seconds: number;
  readonly result: T;
}

export const timed = async <T>(work: () => Promise<T>): Promise<Timed<T>> => {
  const begin = performance.now();
  const result = await work();
  return { seconds: (performance.now() - begin) / 1_000, result };
};

/** Runs a command of the service (`bin/NAME`) on an instance whose backups lie in `backups`, and resolves to its output and its time. */
export const runCommand = (
  name: 'sheaf' | 'migrate',
  args: readonly string[],
  instance: Instance,
  backups: string,
): Promise<Timed<string>> =>
  timed(async () => {
    const options = { env: environmentOf(instance, backups), cwd: ROOT, maxBuffer: MAX_OUTPUT_BYTES };
    return (await run$(join(ROOT, 'bin', name), [...args], options)).stdout.trim();
  });
