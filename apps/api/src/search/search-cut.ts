import { cursorQuery, nextCursor } from '@sheaf/contract';
import { type SearchBody, searchBody, searchHit } from '@sheaf/contract/search';
import { MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import type { SearchServices } from './search-services.ts';

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
