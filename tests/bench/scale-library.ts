import type { Db } from '@sheaf/db';
import { foldDocumentTallies } from '@sheaf/documents';
import { foldTermStatistics, indexDocument, indexDocuments } from '@sheaf/search';
import type { LocalStorage } from '@sheaf/storage';
import { sql } from 'drizzle-orm';
import { storeBulk } from './bulk-files.ts';
import { BULK_DOCUMENTS, type BulkDocument, insertBatch, readBulk } from './search-library.ts';
import { type Instance, storageOf } from './stored-library.ts';

/** Documents whose paragraphs are mixed: some books together, and little memory. */
const MIXED = 2_000;
const SYLLABLES = 'ba ce di fo gu ha ki lo mu na pe ri so tu va we zi bra cle dro fri glu'.split(' ');

/** A word that no text has, the same for the same number. */
const madeUpWord = (number: number): string => {
  let word = '';
  for (let left = number + SYLLABLES.length ** 3; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
};

/** Document `i` of a mixture: its first paragraph, the second one of another document, and so on, so that none is used twice. */
const mixedText = (mixture: readonly (readonly string[])[], i: number, round: number): string =>
  (mixture[i] ?? []).map((own, j) => mixture[(i + j * (37 * round + 1)) % mixture.length]?.[j] ?? own).join('\n\n');

/**
 * The corpus once more, its paragraphs in other documents: how common words are stays as it is. Every second document has a word of
 * its own besides, so that new words keep coming.
 */
async function* readMixed(round: number): AsyncGenerator<BulkDocument> {
  let waiting: BulkDocument[] = [];
  const mix = function* (): Generator<BulkDocument> {
    const mixture = waiting.map(({ text }) => text.split('\n\n'));
    for (const [i, document] of waiting.entries()) {
      const n = document.n + round * BULK_DOCUMENTS;
      const text = mixedText(mixture, i, round);
      yield { n, title: document.title, name: `${round}-${document.name}`, text: n % 2 === 0 ? `${text}\n\n${madeUpWord(n / 2)}` : text };
    }
    waiting = [];
  };
  for await (const document of readBulk(0, BULK_DOCUMENTS)) if (waiting.push(document) === MIXED) yield* mix();
  yield* mix();
}

/** Documents from number `from` on: those of the corpus, then mixtures of them. */
async function* readScaled(from: number, until: number): AsyncGenerator<BulkDocument> {
  if (from < BULK_DOCUMENTS) yield* readBulk(from, until - from);
  for (let round = Math.max(1, Math.floor(from / BULK_DOCUMENTS)); round * BULK_DOCUMENTS < until; round += 1)
    for await (const document of readMixed(round)) {
      if (document.n >= until) return;
      if (document.n >= from) yield document;
    }
}

/** Rows written in one transaction. */
const BATCH = 500;
/** Writers at once, as two ocr-workers with two documents each would be. */
const WRITERS = 4;
/** Documents indexed in one transaction where nobody measures. */
const INDEXED_TOGETHER = 25;
/** Of the last documents, each is indexed in a transaction of its own: what the rate is measured by. */
const MEASURED = 2_000;
/** Statistics are folded meanwhile, as the watcher does. */
const FOLDED_TOGETHER = 20_000;

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

const indexAll = async (db: Db, ids: readonly string[], together: number): Promise<void> => {
  const queue = chunksOf(ids, together).values();
  const writer = async (): Promise<void> => {
    for (const chunk of queue)
      await db.transaction((tx) => (chunk.length === 1 ? indexDocument(tx, chunk[0] ?? '') : indexDocuments(tx, chunk)));
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
};

/**
 * Takes the inverted indexes away while many documents come, as to make them anew takes a part of the time of keeping them. What they were
 * is noted in the database, so that a fill that was broken off can be gone on with.
 */
const withoutInvertedIndexes = async (db: Db, work: () => Promise<void>): Promise<void> => {
  await db.execute(sql`create table if not exists removed_indexes (name text, definition text)`);
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ name: string }>(sql`
      insert into removed_indexes
      select indexname, indexdef from pg_indexes
      where tablename in ('document_search', 'documents') and schemaname = current_schema() and indexdef like '%USING gin%'
      returning name`);
    for (const { name } of rows) await tx.execute(sql`drop index ${sql.identifier(name)}`);
  });
  await work();
  const { rows: removed } = await db.execute<{ name: string; definition: string }>(sql`select * from removed_indexes`);
  for (const { name, definition } of removed)
    await db.transaction(async (tx) => {
      await tx.execute(sql`set local maintenance_work_mem = '1GB'`);
      await tx.execute(sql.raw(definition));
      await tx.execute(sql`delete from removed_indexes where name = ${name}`);
    });
};

/** Whether a fill was broken off while they were away. */
const lacksIndexes = async (db: Db): Promise<boolean> => {
  const { rows } = await db.execute<{ there: boolean }>(sql`select to_regclass('removed_indexes') is not null as there`);
  if (rows[0]?.there !== true) return false;
  return (await db.execute(sql`select from removed_indexes limit 1`)).rows.length > 0;
};

/** Documents of a fill that was broken off, without an entry in the search index. */
const notIndexed = async (db: Db): Promise<string[]> => {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from documents where not exists (select from document_search where document_id = documents.id) order by id`,
  );
  return rows.map(({ id }) => id);
};

interface Filled {
  readonly db: Db;
  readonly storage: LocalStorage;
}

const fill = async (
  { db, storage }: Filled,
  documents: AsyncIterable<BulkDocument>,
  index: (ids: readonly string[]) => Promise<void>,
): Promise<number> => {
  const startedAt = performance.now();
  let count = 0;
  let textBytes = 0;
  let batch: BulkDocument[] = [];
  let ids: string[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) ids.push(...(await insertBatch(db, batch, await storeBulk(storage, batch))).map(({ id }) => id));
    batch = [];
  };
  const indexAndFold = async (some: readonly string[]): Promise<void> => {
    await index(some);
    await foldTermStatistics(db);
    count += some.length;
    console.log(`  ${count} documents filled in, ${(count / ((performance.now() - startedAt) / 1_000)).toFixed(0)} a second`);
  };
  // the next documents are written while the last ones are indexed
  let indexing = Promise.resolve();
  const fold = async (): Promise<void> => {
    await indexing;
    indexing = indexAndFold(ids);
    ids = [];
  };
  for await (const document of documents) {
    textBytes += Buffer.byteLength(document.text);
    if (batch.push(document) < BATCH) continue;
    await flush();
    if (ids.length >= FOLDED_TOGETHER) await fold();
  }
  await flush();
  await fold();
  await indexing;
  return textBytes;
};

/** What a kept library holds: its documents have the numbers from 0 on. */
export const sizeOfLibrary = async ({
  database: { db },
}: Instance): Promise<{ hasUsers: boolean; documents: number; textBytes: number }> => {
  const { rows } = await db.execute<{ users: boolean; documents: number; bytes: number }>(
    sql`select exists (select from users) as users, (select count(*)::int from documents) as documents, (select coalesce(sum(octet_length(content)), 0)::float8 from document_pages) as bytes`,
  );
  return { hasUsers: rows[0]?.users ?? false, documents: rows[0]?.documents ?? 0, textBytes: rows[0]?.bytes ?? 0 };
};

export interface ScaleFill {
  readonly textBytes: number;
  readonly seconds: number;
  /** Of the last documents, each indexed by itself while all indexes are there. */
  readonly indexedPerSecond: number;
}

/** Fills a library of `from` documents up to `until`. */
export const fillScaled = async (instance: Instance, from: number, until: number): Promise<ScaleFill> => {
  const { db } = instance.database;
  const filled = { db, storage: storageOf(instance) };
  const startedAt = performance.now();
  const measuredFrom = Math.max(from, until - MEASURED);
  let textBytes = 0;
  const left = await notIndexed(db);
  if (from < measuredFrom || left.length > 0 || (await lacksIndexes(db)))
    await withoutInvertedIndexes(db, async () => {
      await indexAll(db, left, INDEXED_TOGETHER);
      textBytes += await fill(filled, readScaled(from, measuredFrom), (ids) => indexAll(db, ids, INDEXED_TOGETHER));
    });
  let indexedPerSecond = 0;
  textBytes += await fill(filled, readScaled(measuredFrom, until), async (ids) => {
    const indexedAt = performance.now();
    await indexAll(db, ids, 1);
    indexedPerSecond = (ids.length * 1_000) / (performance.now() - indexedAt);
  });
  await foldDocumentTallies(db);
  await db.execute(sql`vacuum analyze`);
  return { textBytes, seconds: (performance.now() - startedAt) / 1_000, indexedPerSecond };
};
