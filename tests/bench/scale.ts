import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Database, Db } from '@sheaf/db';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import { INDEXED_DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { startApiWithPermissions } from '../support/api-with-permissions.ts';
import { runLoad } from './http-load.ts';
import { indexSizes } from './index-sizes.ts';
import { machineLine } from './machine.ts';
import { PrintedFigures } from './printed-figures.ts';
import { quantile } from './quantile.ts';
import { rankingOverlap } from './ranking-overlap.ts';
import { fillScaled, sizeOfLibrary } from './scale-library.ts';
import { openScratchDatabase, type ScratchOptions } from './scratch-database.ts';
import { BULK, LIBRARY, labelId, makeUsersAndLabels, signIn } from './search-library.ts';
import { drawMix, MIX_KINDS } from './search-mix.ts';
import { makeQueries } from './search-queries.ts';
import type { Instance } from './stored-library.ts';
import { measureUpkeep } from './upkeep.ts';
import { secondsOfScan } from './watch.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const CLIENTS = 8;
const REQUESTS = 800;
/** Other questions before them: the database has just started, and has nothing in its memory yet. */
const WARMING = 1_000;
/** Matches beyond which a search is bounded: as it is, and where a small library can show something. */
const OVERLAP_LIMITS = [EXACT_TOTAL_LIMIT, 1_000];

/** What was measured, by its name with its unit. */
type Figures = Map<string, number>;

type Ask = (paths: readonly string[], options?: { readonly as?: string; readonly clients?: number }) => Promise<readonly number[]>;

const LIST_FILTERS = {
  'no filter': '',
  'a label of 40 %': `&label_ids=${labelId(1)}`,
  'two labels': `&label_ids=${labelId(1)},${labelId(2)}`,
  'half a year': '&date_from=2023-07-01&date_to=2023-12-31',
} as const;

const listPaths = (filter: string, page: number): string[] =>
  INDEXED_DOCUMENT_SORT_FIELDS.flatMap((sort) =>
    (['asc', 'desc'] as const).flatMap((order) =>
      Array.from({ length: 4 }, () => `/api/documents?sort=${sort}&order=${order}&page=${page}${filter}`),
    ),
  );

const measureLists = async (ask: Ask, figures: Figures): Promise<void> => {
  for (const page of [1, 400]) {
    const all: number[] = [];
    for (const [name, filter] of Object.entries(LIST_FILTERS)) {
      const times = await ask(listPaths(filter, page));
      all.push(...times);
      figures.set(`list page ${page}, ${name}, p95 ms`, quantile(times, 0.95));
    }
    figures.set(`list page ${page}, p50 ms`, quantile(all, 0.5));
    figures.set(`list page ${page}, p95 ms`, quantile(all, 0.95));
  }
};

const measureSearches = async (db: Db, ask: Ask, documents: number, figures: Figures): Promise<void> => {
  const queries = await makeQueries(db, documents);
  const mix = drawMix(queries, REQUESTS);
  const paths = mix.map(({ path }) => path);
  await ask(drawMix(queries, WARMING).map(({ path }) => path));
  const times = await ask(paths);
  figures.set('mix, p50 ms', quantile(times, 0.5));
  figures.set('mix, p95 ms', quantile(times, 0.95));
  for (const kind of MIX_KINDS) {
    const some = times.filter((_, i) => mix[i]?.kind === kind);
    figures.set(`mix, ${kind}, p50 ms`, quantile(some, 0.5));
    figures.set(`mix, ${kind}, p95 ms`, quantile(some, 0.95));
  }
  const alone = await ask(paths.slice(0, 300), { clients: 1 });
  figures.set('one client alone, p50 ms', quantile(alone, 0.5));
  figures.set('one client alone, p95 ms', quantile(alone, 0.95));
  for (const who of [LIBRARY.admin, LIBRARY.owner]) {
    const some = await ask(paths.slice(0, 400), { as: who });
    figures.set(`mix of ${who === LIBRARY.owner ? 'an owner with .own' : 'an administrator'}, p50 ms`, quantile(some, 0.5));
    figures.set(`mix of ${who === LIBRARY.owner ? 'an owner with .own' : 'an administrator'}, p95 ms`, quantile(some, 0.95));
  }
  const { word, share } = queries.veryCommon;
  console.log(`  the very common word is ${word}, in ${(100 * share).toFixed(1)} % of the documents`);
  const common = Array.from({ length: 40 }, () => `/api/search?q=${word}`);
  figures.set('a word in 40 %, p50 ms', quantile(await ask(common), 0.5));
  figures.set('a word in 40 %, p95 ms', quantile(await ask(common), 0.95));
  figures.set('a word in 40 %, one client, p50 ms', quantile(await ask(common, { clients: 1 }), 0.5));
  figures.set('a word in 40 %, page 50, p50 ms', quantile(await ask(common.map((path) => `${path}&page=50`)), 0.5));
  figures.set('a word in 40 %, .own, p50 ms', quantile(await ask(common, { as: LIBRARY.owner }), 0.5));
  figures.set(
    'a word in 5 %, one client, p50 ms',
    quantile(await ask(Array.from({ length: 40 }, queries.draw.common), { clients: 1 }), 0.5),
  );
  const beginnings = Array.from(
    { length: 100 },
    (_, i) => `/api/search/suggest?q=${queries.common[i % queries.common.length]?.word.slice(0, 4)}`,
  );
  figures.set('suggestions, p95 ms', quantile(await ask(beginnings), 0.95));
};

/** To rank all matches of a common word takes seconds at a million documents: behind so many, one in eight of the queries is compared. */
const MAX_COMPARED_WHOLE = 100_000;
const COMPARED_ONE_IN = 8;

const measureRanking = async (db: Db, documents: number, figures: Figures): Promise<void> => {
  const { manyMatches } = await makeQueries(db, documents);
  const compared = documents > MAX_COMPARED_WHOLE ? manyMatches.filter((_, i) => i % COMPARED_ONE_IN === 0) : manyMatches;
  for (const limit of OVERLAP_LIMITS) {
    const { overlap, queries } = await rankingOverlap(db, compared, limit);
    if (queries > 0) figures.set(`first ten as in the exact ranking, ${queries} queries beyond ${limit} matches`, overlap);
  }
};

const measureLibrary = async (database: Database, documents: number, textBytes: number, figures: Figures): Promise<void> => {
  const { db } = database;
  const { total, inverted, parts } = await indexSizes(db);
  figures.set('index size / text size', total / textBytes);
  figures.set('of it inverted indexes and words', inverted / textBytes);
  for (const [name, bytes] of Object.entries(parts)) if (bytes / textBytes > 0.005) figures.set(`of it ${name}`, bytes / textBytes);
  const startedAt = performance.now();
  await using api = await startApiWithPermissions(database, { [LIBRARY.owner]: ['documents.read.own', 'search.query'] });
  figures.set('start of the api, ms', performance.now() - startedAt);
  const tokens = new Map<string, string>();
  for (const name of [LIBRARY.viewer, LIBRARY.admin, LIBRARY.owner]) tokens.set(name, await signIn(api.url, name));
  const ask: Ask = (paths, { as = LIBRARY.viewer, clients = CLIENTS } = {}) =>
    runLoad({ port: api.port, clients, requests: paths.map((path) => ({ path, token: tokens.get(as) ?? '' })) });
  await measureSearches(db, ask, documents, figures);
  await measureLists(ask, figures);
  await measureRanking(db, documents, figures);
};

/** What is measured of each size. */
const PARTS = ['searches', 'upkeep', 'watch'] as const;
type Part = (typeof PARTS)[number];

const isPart = (text: string): text is Part => (PARTS as readonly string[]).includes(text);

/** A library in `kept`, where it stays, or in a folder that is gone afterwards. */
const openInstance = async (kept: string | undefined, options: ScratchOptions): Promise<Instance & AsyncDisposable> => {
  await using scope = new AsyncDisposableStack();
  const folder = kept ?? scope.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-scale-'))).path;
  const database = scope.use(await openScratchDatabase(folder, options));
  const all = scope.move();
  return { database, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
};

/**
 * How the costs of a library grow: `pnpm bench scale [--keep FOLDER] [--shared-buffers SIZE] [searches] [upkeep] [watch] [documents...]`, sizes
 * in rising order, and all parts where none is named. Documents behind the corpus are mixtures of it. With `--keep`, the library stays in that
 * folder, and the next run goes on with it, also after one that was broken off.
 */
export const run = async (args: readonly string[] = []): Promise<void> => {
  if (!existsSync(BULK)) {
    console.log(`scale: skipped, ${BULK} is not there`);
    return;
  }
  const options = { keep: { type: 'string' }, 'shared-buffers': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const sharedBuffers = values['shared-buffers'];
  const named = positionals.filter(isPart);
  const parts = new Set(named.length > 0 ? named : PARTS);
  const sizes = positionals.filter((text) => !isPart(text)).map(Number);
  console.log(
    `a growing library, ${CLIENTS} clients at once in a process of their own, api in this one; buffers ${sharedBuffers ?? 'of the embedded database'}; ${machineLine()}`,
  );
  await using instance = await openInstance(values.keep, { sharedBuffers });
  const { database } = instance;
  const kept = await sizeOfLibrary(instance);
  if (!kept.hasUsers) await makeUsersAndLabels(database);
  if (kept.documents > 0) console.log(`${kept.documents} documents were kept`);
  const first: Figures = new Map();
  let { documents: from, textBytes } = kept;
  for (const size of sizes.length > 0 ? sizes : SIZES) {
    if (size < from) {
      console.log(`${size} documents: not measured, as there are more`);
      continue;
    }
    const filled = await fillScaled(instance, from, size);
    textBytes += filled.textBytes;
    from = size;
    const [load = 0] = loadavg();
    console.log(
      `${size} documents, ${(textBytes / 1e6).toFixed(0)} MB of text, filled in ${filled.seconds.toFixed(0)} s; load ${load.toFixed(1)} before measuring`,
    );
    const figures: Figures = new PrintedFigures(first);
    figures.set('indexing one by one, documents/s', filled.indexedPerSecond);
    if (parts.has('searches')) await measureLibrary(database, size, textBytes, figures);
    if (parts.has('upkeep')) await measureUpkeep(instance, size, figures);
    if (parts.has('watch')) figures.set('scan of as many known files, s', await secondsOfScan(size));
    if (first.size === 0) for (const [name, value] of figures) first.set(name, value);
  }
};
