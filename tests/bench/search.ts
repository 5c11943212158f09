import { existsSync } from 'node:fs';
import type { Db } from '@sheaf/db';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { startApiWithPermissions } from '../support/api-with-permissions.ts';
import { runLoad } from './http-load.ts';
import { indexSizes } from './index-sizes.ts';
import { benchList } from './list.ts';
import { machineLine } from './machine.ts';
import { quantile } from './quantile.ts';
import { openScratchDatabase } from './scratch-database.ts';
import { compareWithFloor } from './search-floor.ts';
import { BULK, fillLibrary, LIBRARY, makeUsersAndLabels, signIn, userId } from './search-library.ts';
import { drawMix, MIX_KINDS } from './search-mix.ts';
import { makeQueries } from './search-queries.ts';

const CLIENTS = 8;
const REQUESTS = 1_600;
const SIZES = [10_000, 100_000];
const LIMITS = { p50: 15, p95: 80, veryCommon: 400, floor: 1.5, own: 1.2, size: 1 } as const;

const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const verdict = (value: number, limit: number): string => `(at most ${limit}: ${value <= limit ? 'reached' : 'MISSED'})`;

const printSizes = async (db: Db, textBytes: number): Promise<void> => {
  const { total, inverted } = await indexSizes(db);
  console.log(
    `  size against text: ${(total / textBytes).toFixed(2)} ${verdict(total / textBytes, LIMITS.size)}; of it inverted index and words ${(inverted / textBytes).toFixed(2)}, the documents' vectors the rest`,
  );
};

const measure = async (db: Db, api: { url: string; port: number }, documents: number): Promise<void> => {
  const queries = await makeQueries(db, documents);
  const [viewer, admin, owner] = await Promise.all([LIBRARY.viewer, LIBRARY.admin, LIBRARY.owner].map((name) => signIn(api.url, name)));
  const load = (paths: readonly string[], as = viewer): Promise<readonly number[]> =>
    runLoad({ port: api.port, clients: CLIENTS, requests: paths.map((path) => ({ path, token: as ?? '' })) });
  await load(drawMix(queries, 200).map(({ path }) => path)); // warm

  const mix = drawMix(queries, REQUESTS);
  const times = await load(mix.map(({ path }) => path));
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  console.log(`  mix: p50 ${ms(p50)} ${verdict(p50, LIMITS.p50)}, p95 ${ms(p95)} ${verdict(p95, LIMITS.p95)}`);
  for (const kind of MIX_KINDS) {
    const some = times.filter((_, i) => mix[i]?.kind === kind);
    console.log(`    ${kind.padEnd(9)} p50 ${ms(quantile(some, 0.5))}, p95 ${ms(quantile(some, 0.95))}`);
  }
  const alone = await runLoad({
    port: api.port,
    clients: 1,
    requests: mix.slice(0, 300).map(({ path }) => ({ path, token: viewer ?? '' })),
  });
  console.log(`    one client alone: p50 ${ms(quantile(alone, 0.5))}, p95 ${ms(quantile(alone, 0.95))}`);

  const inside = await load(Array.from({ length: 400 }, queries.drawInside));
  const insideP95 = quantile(inside, 0.95);
  console.log(
    `  a part of a word, four letters or more: p50 ${ms(quantile(inside, 0.5))}, p95 ${ms(insideP95)} ${verdict(insideP95, LIMITS.p95)}`,
  );

  const { veryCommon } = queries;
  const path = `/api/search?q=${veryCommon.word}`;
  const common = quantile(await load(Array.from({ length: 40 }, () => path)), 0.5);
  console.log(
    `  a word in ${(100 * veryCommon.share).toFixed(0)} % of the documents: p50 ${ms(common)} ${verdict(common, LIMITS.veryCommon)}, 8 clients at once`,
  );

  const principal = {
    userId: userId(2),
    username: LIBRARY.viewer,
    role: 'viewer',
    permissions: BUILT_IN_ROLES.viewer,
    via: 'token',
  } as const;
  for (const { word, share } of [...queries.common.slice(0, 1), veryCommon]) {
    const { searchMs, floorMs } = await compareWithFloor(db, principal, word);
    const ratio = searchMs / floorMs;
    console.log(
      `  against the floor, a word in ${(100 * share).toFixed(1)} %: ${ms(searchMs)} / ${ms(floorMs)} = ${ratio.toFixed(2)} ${verdict(ratio, LIMITS.floor)}`,
    );
  }

  const paths = mix.slice(0, 600).map((query) => query.path);
  const own = mean(await load(paths, owner)) / mean(await load(paths, admin));
  console.log(`  searches of a user with .own rights against an administrator's, means: ${own.toFixed(2)} ${verdict(own, LIMITS.own)}`);
};

const benchSearch = async (sizes: readonly number[]): Promise<void> => {
  console.log(`GET /api/search over ../shared/corpus/search/bulk, ${CLIENTS} clients at once in a process of their own; ${machineLine()}`);
  await using database = await openScratchDatabase();
  await makeUsersAndLabels(database);
  await using api = await startApiWithPermissions(database, { [LIBRARY.owner]: ['documents.read.own', 'search.query'] });
  let [from, textBytes] = [0, 0];
  for (const size of sizes) {
    const filled = await fillLibrary(database, from, size);
    textBytes += filled.textBytes;
    from = size;
    console.log(
      `${size} documents, ${(textBytes / 1e6).toFixed(0)} MB of text; indexed ${filled.documentsPerSecond.toFixed(0)} documents/s`,
    );
    await measure(database.db, api, size);
    await printSizes(database.db, textBytes);
  }
};

/** Searches and lists at size: `pnpm bench search [documents...]`. */
export const run = async (args: readonly string[] = []): Promise<void> => {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  if (existsSync(BULK)) await benchSearch(sizes);
  else console.log(`search: skipped, ${BULK} is not there`);
  await benchList(sizes);
};
