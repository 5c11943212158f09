import { savePages } from '@sheaf/documents/pages';
import { moveToTrash, purgeDocument, restoreDocument } from '@sheaf/ingest/trash';
import { indexDocument } from '@sheaf/search';
import { givenDocument, givenUser } from '@sheaf/testkit';
import { machineLine } from './machine.ts';
import { median } from './median.ts';
import { openScratchDatabase } from './scratch-database.ts';

const PAGES = [1, 100, 5_000] as const;
const ROUNDS = 15;
/** Words of the pages, as in long reports: many of them in each, some in few. */
const WORDS = 400;
const VOCABULARY = 60_000;

/** The word with the number `n`, without a dictionary. */
const word = (n: number): string => `w${((n * 2_654_435_761) % VOCABULARY).toString(36)}`;

const pageText = (page: number): string => Array.from({ length: WORDS }, (_, at) => word(page * WORDS + at * at)).join(' ');

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Milliseconds of moving a document with so many pages to the trash, of restoring it, and of removing it for good. */
const measure = async (database: Awaited<ReturnType<typeof openScratchDatabase>>, ownerId: string, pages: number) => {
  const { db } = database;
  const { id, title, sha256 } = await givenDocument(db, { ownerId, status: 'completed', pageCount: pages });
  for (let first = 1; first <= pages; first += 500) {
    const numbers = Array.from({ length: Math.min(500, pages - first + 1) }, (_, at) => first + at);
    await savePages(
      db,
      id,
      numbers.map((page) => ({ page, content: pageText(page), confidence: 1, origin: 'text' as const })),
    );
  }
  const indexed = await timed(() => db.transaction((tx) => indexDocument(tx, id)));
  await database.pool.query('vacuum analyze');
  const times: { trash: number[]; restore: number[] } = { trash: [], restore: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.trash.push(await timed(() => db.transaction((tx) => moveToTrash(tx, [{ id, title, ownerId, sha256 }], { reason: 'deleted' }))));
    times.restore.push(await timed(() => db.transaction((tx) => restoreDocument(tx, id))));
  }
  await db.transaction((tx) => moveToTrash(tx, [{ id, title, ownerId, sha256 }], { reason: 'deleted' }));
  const purge = await timed(() => purgeDocument(db, id, { removeBytes: async () => {} }));
  return { indexed, trash: median(times.trash) ?? 0, restore: median(times.restore) ?? 0, purge };
};

const ms = (value: number): string => value.toFixed(1).padStart(9);

/** What it costs to move documents of one, of a hundred and of five thousand pages to the trash and back; wanted: the same. */
export const run = async (): Promise<void> => {
  console.log(machineLine());
  await using database = await openScratchDatabase();
  const { id: ownerId } = await givenUser(database.db);
  console.log('    pages  trash ms restore ms  purge ms  index ms');
  const results = [];
  for (const pages of PAGES) {
    const result = await measure(database, ownerId, pages);
    results.push(result);
    console.log(`${String(pages).padStart(9)} ${ms(result.trash)} ${ms(result.restore)} ${ms(result.purge)} ${ms(result.indexed)}`);
  }
  const [one, , many] = results;
  if (one !== undefined && many !== undefined)
    console.log(
      `5,000 pages against one: trash x ${(many.trash / one.trash).toFixed(2)}, restore x ${(many.restore / one.restore).toFixed(2)}`,
    );
};
