import { ApiClient } from '@sheaf/testkit';
import { INDEXED_DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { startApiWithPermissions } from '../support/api-with-permissions.ts';
import { runLoad } from './http-load.ts';
import { fillLibrary, LIBRARY } from './list-library.ts';
import { machineLine } from './machine.ts';
import { quantile } from './quantile.ts';
import { openScratchDatabase } from './scratch-database.ts';

const CLIENTS = 8;
const ROUNDS = 16;
const SIZES = [10_000, 100_000];
/** At most, in milliseconds, for 95 of 100 requests: the first page, and page 1,000. */
const LIMITS = { 1: 10, 1000: 60 } as const;
const OWN_LIMIT = 1.2;

const { labels } = LIBRARY;
const FILTERS: Readonly<Record<string, string>> = {
  'no filter': '',
  completed: 'status=completed',
  failed: 'status=failed',
  'a source': `source_id=${LIBRARY.source}`,
  'a label of 40 %': `label_ids=${labels.common}`,
  'a label of 5 %': `label_ids=${labels.some}`,
  'a label of 0.1 %': `label_ids=${labels.rare}`,
  'two labels': `label_ids=${labels.common},${labels.some}`,
  'three weeks': 'date_from=2025-03-03&date_to=2025-03-23',
  'a year and a half': 'date_from=2024-01-15&date_to=2025-06-20',
  'a label, a status, a year': `label_ids=${labels.common}&status=completed&date_from=2025-01-01&date_to=2025-12-31`,
};

interface Result {
  readonly filter: string;
  readonly sort: string;
  readonly page: number;
  readonly times: readonly number[];
}

const matrix = (): { filter: string; sort: string; page: 1 | 1000; path: string }[] =>
  Object.entries(FILTERS).flatMap(([filter, query]) =>
    INDEXED_DOCUMENT_SORT_FIELDS.flatMap((sort) =>
      (['asc', 'desc'] as const).flatMap((order) =>
        ([1, 1000] as const).map((page) => ({
          filter,
          sort: `${sort} ${order}`,
          page,
          path: `/api/documents?sort=${sort}&order=${order}&page=${page}&${query}`,
        })),
      ),
    ),
  );

const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;

const ms = (value: number): string => value.toFixed(1).padStart(6);

const printPage = (who: string, page: 1 | 1000, results: readonly Result[]): void => {
  const times = results.flatMap((result) => result.times);
  const p95 = quantile(times, 0.95);
  console.log(
    `  ${who.padEnd(7)} page ${String(page).padEnd(5)} p50 ${ms(quantile(times, 0.5))}  p95 ${ms(p95)}  (at most ${LIMITS[page]}: ${p95 <= LIMITS[page] ? 'reached' : 'MISSED'})`,
  );
};

/** The filter by filter view of one user: p95 over all sorts, and the worst of them. */
const printFilters = (results: readonly Result[]): void => {
  for (const filter of Object.keys(FILTERS)) {
    const line = ([1, 1000] as const).map((page) => {
      const cells = results.filter((result) => result.filter === filter && result.page === page);
      const worst = cells.toSorted((a, b) => quantile(b.times, 0.95) - quantile(a.times, 0.95))[0];
      const all = quantile(
        cells.flatMap((cell) => cell.times),
        0.95,
      );
      return `page ${page}: p95 ${ms(all)}, worst ${ms(quantile(worst?.times ?? [], 0.95))} (${worst?.sort})`;
    });
    console.log(`    ${filter.padEnd(26)} ${line.join('   ')}`);
  }
};

const benchSize = async (documents: number): Promise<void> => {
  await using database = await openScratchDatabase();
  const startedAt = performance.now();
  await fillLibrary(database, documents);
  console.log(`${documents} documents, filled in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  await using api = await startApiWithPermissions(database, { [LIBRARY.owner]: ['documents.read.own'] });
  const cells = matrix();
  const results: Record<string, Result[]> = {};
  for (const who of ['warm-up', 'admin', 'owner', 'viewer'] as const) {
    const { body } = await new ApiClient(api.url).post('/api/auth/login', {
      username: who === 'warm-up' ? LIBRARY.admin : LIBRARY[who],
      password: LIBRARY.password,
    });
    const token = String(body['token']);
    const rounds = who === 'warm-up' || who === 'viewer' ? CLIENTS : ROUNDS;
    const requests = cells.flatMap(({ path }) => Array.from({ length: rounds }, () => ({ path, token })));
    const times = await runLoad({ port: api.port, clients: CLIENTS, requests });
    results[who] = cells.map((cell, index) => ({ ...cell, times: times.slice(index * rounds, (index + 1) * rounds) }));
  }
  for (const who of ['admin', 'owner', 'viewer'])
    for (const page of [1, 1000] as const) printPage(who, page, results[who]?.filter((result) => result.page === page) ?? []);
  printFilters(results['admin'] ?? []);
  for (const page of [1, 1000] as const) {
    const [own, all] = ['owner', 'admin'].map((who) =>
      mean((results[who] ?? []).filter((result) => result.page === page).flatMap(({ times }) => times)),
    );
    const ratio = (own ?? 0) / (all ?? 1);
    console.log(
      `  own against all, page ${page}, means: ${ratio.toFixed(2)} (at most ${OWN_LIMIT}: ${ratio <= OWN_LIMIT ? 'reached' : 'MISSED'})`,
    );
  }
};

/** Times of GET /api/documents over all sorts and many filters, through HTTP, with several clients at once. */
export const benchList = async (sizes: readonly number[] = SIZES): Promise<void> => {
  console.log(`GET /api/documents, ${CLIENTS} clients at once in a process of their own, api in this one; ${machineLine()}`);
  for (const size of sizes) await benchSize(size);
};

export const run = (args: readonly string[]): Promise<void> => benchList(args.length > 0 ? args.map(Number) : SIZES);
