import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { hashPassword } from '@sheaf/accounts';
import type { Database, Db } from '@sheaf/db';
import { foldTermStatistics, indexDocument } from '@sheaf/search';
import { ApiClient } from '@sheaf/testkit';
import { sql } from 'drizzle-orm';
import { z } from 'zod';

export const BULK = join(import.meta.dirname, '../../../shared/corpus/search/bulk');

/** Documents in it. */
export const BULK_DOCUMENTS = 120_000;

const bulkLine = z.object({ id: z.string(), title: z.string(), text: z.string() });

/** Ids are made from numbers, so that documents, users and labels can be named without asking for them. */
const uuidOf = (kind: '8' | '9', number: number): string => `00000000-0000-7000-${kind}000-${String(number).padStart(12, '0')}`;
export const userId = (number: number): string => uuidOf('8', number);
export const labelId = (number: number): string => uuidOf('9', number);

export const LIBRARY = {
  admin: 'user-1',
  viewer: 'user-2',
  /** Owns a tenth of the documents. */
  owner: 'user-3',
  users: 10,
  labels: 20,
  password: 'correct horse battery',
} as const;

export const signIn = async (url: string, username: string): Promise<string> => {
  const { body } = await new ApiClient(url).post('/api/auth/login', { username, password: LIBRARY.password });
  return String(body['token']);
};

const BATCH = 500;
/** Writers at once, as two ocr-workers with two documents each would be. */
const WRITERS = 4;

export const makeUsersAndLabels = async ({ db }: Database): Promise<void> => {
  const hash = await hashPassword(LIBRARY.password);
  for (let n = 1; n <= LIBRARY.users; n += 1)
    await db.execute(sql`insert into users (id, username, email, role, password_hash)
      values (${userId(n)}, ${`user-${n}`}, ${`user-${n}@example.org`}, ${n === 1 ? 'admin' : 'viewer'}, ${hash})`);
  for (let n = 1; n <= LIBRARY.labels; n += 1)
    await db.execute(sql`insert into labels (id, name, color) values (${labelId(n)}, ${`label ${n}`}, '#336699')`);
};

export interface BulkDocument {
  readonly n: number;
  readonly title: string;
  readonly name: string;
  readonly text: string;
}

/** The documents of the corpus from number `from` on (from 0), in their order. */
export async function* readBulk(from: number, count: number): AsyncGenerator<BulkDocument> {
  let n = 0;
  for (const file of (await readdir(BULK)).toSorted()) {
    for await (const line of createInterface({ input: createReadStream(join(BULK, file)).pipe(createGunzip()) })) {
      if (n >= from + count) return;
      if (n >= from) {
        const { id, title, text } = bulkLine.parse(JSON.parse(line));
        yield { n, title, name: `${id}.pdf`, text };
      }
      n += 1;
    }
  }
}

/** Where the bytes of a document lie. */
export interface StoredBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly path: string;
}

/** A row needs bytes that nobody reads. */
const withoutFile = ({ n, text }: BulkDocument): StoredBytes => ({
  sha256: createHash('sha256').update(String(n)).digest('hex'),
  sizeBytes: Buffer.byteLength(text),
  path: `/nowhere/${n}`,
});

export const OFFICE_TYPE = 'application/msword';
const TYPES = ['application/pdf', 'text/plain', 'image/png', OFFICE_TYPE];
export const typeOf = (n: number): string => TYPES[n % TYPES.length] ?? '';

/** A batch of rows as reading would have left them: types, sources, owners and dates by number, labels by its hash. */
export const insertBatch = (
  db: Db,
  batch: readonly BulkDocument[],
  files: readonly StoredBytes[] = batch.map(withoutFile),
): Promise<readonly { id: string }[]> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      with given as (
        select *, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
        from unnest(${sql.param(batch.map(({ n }) => n))}::int[], ${sql.param(batch.map(({ title }) => title))}::text[],
          ${sql.param(batch.map(({ name }) => name))}::text[], ${sql.param(batch.map(({ text }) => text))}::text[],
          ${sql.param(batch.map(({ n }) => typeOf(n)))}::text[], ${sql.param(files.map(({ sha256 }) => sha256))}::text[],
          ${sql.param(files.map(({ sizeBytes }) => sizeBytes))}::int[], ${sql.param(files.map(({ path }) => path))}::text[])
          as given (n, title, name, text, type, sha256, size, path)
      ),
      made as (
        insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, ocr_confidence,
          page_count, content_excerpt, source, created_at, updated_at)
        select id, ('00000000-0000-7000-8000-' || lpad((1 + n % ${LIBRARY.users}::int)::text, 12, '0'))::uuid, title, name,
          type, size, sha256, path, 'completed', 'eng', 0.5 + (n % 50) / 100.0, 1, left(text, 500),
          (array['upload', 'watch', 'webdav'])[1 + n % 3], t, t
        from given cross join lateral (select timestamptz '2023-06-01' + n * interval '15 minutes' as t) as time
        returning id
      ),
      written as (
        insert into document_pages (document_id, page, content, confidence, origin) select id, 1, text, 1, 'text' from given
      )
      select id from made`);
    await tx.execute(sql`
      insert into document_labels (document_id, label_id)
      select documents.id, labels.id from documents cross join labels
      where documents.id = any(${sql.param(rows.map(({ id }) => id))}::uuid[])
        and abs(hashtext(documents.id::text || labels.name)) % 100 < case labels.name when 'label 1' then 40 else 5 end`);
    return rows;
  });

export interface FillResult {
  readonly textBytes: number;
  readonly documentsPerSecond: number;
}

/** Fills up to `count` documents and indexes them one by one, as workers do; the rate is that of the indexing alone. */
export const fillLibrary = async ({ db }: Database, from: number, count: number): Promise<FillResult> => {
  const ids: string[] = [];
  let textBytes = 0;
  let batch: BulkDocument[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) ids.push(...(await insertBatch(db, batch)).map(({ id }) => id));
    batch = [];
  };
  for await (const document of readBulk(from, count - from)) {
    textBytes += Buffer.byteLength(document.text);
    if (batch.push(document) >= BATCH) await flush();
  }
  await flush();
  const startedAt = performance.now();
  const queue = ids.values();
  const writer = async (): Promise<void> => {
    for (const id of queue) await db.transaction((tx) => indexDocument(tx, id));
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const seconds = (performance.now() - startedAt) / 1_000;
  await foldTermStatistics(db);
  await db.execute(sql`vacuum analyze`);
  return { textBytes, documentsPerSecond: ids.length / seconds };
};
