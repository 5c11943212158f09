import type { FixedConfig } from '@sheaf/config';
import { cursorQuery, nextCursor } from '@sheaf/contract';
import { type SearchBody, searchBody, searchHit } from '@sheaf/contract/search';
import { type Clock, Counter, Histogram, type Registry } from '@sheaf/process';
import { MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';

/** What version 2 answers to a search: as version 1, with a cursor for the pages. */
export const searchCutBody = searchBody
  .omit({ results: true })
  .extend({ data: z.array(searchHit), next_cursor: nextCursor })
  .meta({ id: 'SearchCut' });
export type SearchCutBody = z.infer<typeof searchCutBody>;

export const cursorFields = cursorQuery.shape;

interface Asked {
  readonly path: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** All else that was asked. */
  readonly question: object;
}

/**
 * One page of a search by its cursor. What a rank is worth moves with every document that comes, so there is no row to go on behind:
 * a cursor holds the page and the time of the first one, and later pages look at what was there then. Nothing new moves them.
 */
export const cutSearch = async (
  { cursors, clock }: Pick<SearchServices, 'cursors' | 'clock'>,
  { path, cursor, limit, question }: Asked,
  find: (part: { readonly page: number; readonly perPage: number; readonly until?: Date }) => Promise<SearchBody>,
): Promise<SearchCutBody> => {
  const sealed = JSON.stringify([path, limit, question]);
  const [at, time] = cursors.read(sealed, cursor) ?? [];
  const page = Number(at ?? 1);
  const now = clock.now().toISOString();
  const { results, ...others } = await find({ page, perPage: limit, ...(time == null ? {} : { until: new Date(time) }) });
  const hasMore = page * limit < others.total && (page + 1) * limit <= MAX_SEARCH_RESULTS;
  return { data: results, ...others, next_cursor: hasMore ? cursors.write(sealed, [String(page + 1), time ?? now]) : null };
};

/** What the routes of the search use. */
export interface SearchServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly searchMetrics: SearchMetrics;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

const SEARCH_KINDS = ['simple', 'advanced', 'suggest'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** What searching is measured by. */
interface SearchMetrics {
  /** Measures a search from its question to its answer, and counts it, also when it fails. */
  readonly measure: <T>(kind: SearchKind, find: () => Promise<T>) => Promise<T>;
}

export const makeSearchMetrics = (registry: Registry): SearchMetrics => {
  const registers = [registry];
  const searches = new Counter({
    name: 'sheaf_searches_total',
    help: 'Searches by result',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sheaf_search_duration_seconds',
    help: 'Search duration in the api and the database',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  for (const kind of SEARCH_KINDS) searches.inc({ kind, outcome: 'answered' }, 0);
  return {
    measure: async (kind, find) => {
      const startedMs = performance.now();
      let outcome = 'failed';
      try {
        const found = await find();
        outcome = 'answered';
        return found;
      } finally {
        searches.inc({ kind, outcome });
        seconds.observe({ kind }, (performance.now() - startedMs) / 1_000);
      }
    },
  };
};
