import { Counter, Histogram, type Registry } from '@sheaf/process';

export const SEARCH_KINDS = ['simple', 'advanced', 'suggest'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What searching is measured by. */
export interface SearchMetrics {
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
