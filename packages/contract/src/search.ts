import { z } from 'zod';
import { DOCUMENT_STATUSES } from './document.ts';
import { pageQuery } from './page.ts';

/** No more than this many hits of one query can be reached by paging. */
export const MAX_SEARCH_RESULTS = 1_000;
/** `total` is exact up to here; beyond, `total_is_lower_bound` is set. */
export const EXACT_TOTAL_LIMIT = 10_000;
export const MAX_QUERY_CHARACTERS = 2_000;

export const searchFilters = z
  .strictObject({
    mime_types: z.array(z.string().max(200)).max(50),
    label_ids: z.array(z.uuid()).max(100),
    source_id: z.uuid(),
    owner_id: z.uuid(),
    status: z.enum(DOCUMENT_STATUSES),
    date_from: z.iso.datetime({ offset: true }).or(z.iso.date()),
    date_to: z.iso.datetime({ offset: true }).or(z.iso.date()),
    min_confidence: z.number().min(0).max(1),
    min_size: z.number().int().min(0),
    max_size: z.number().int().min(0),
  })
  .partial()
  .meta({ id: 'SearchFilters' });
export type SearchFilters = z.infer<typeof searchFilters>;

export const searchQuery = pageQuery
  .extend({
    q: z.string().min(1).max(MAX_QUERY_CHARACTERS),
    filters: z.string().max(10_000).optional(),
    highlight: z.stringbool().default(true),
    fuzzy: z.stringbool().default(false),
  })
  .refine(({ page, per_page }) => page * per_page <= MAX_SEARCH_RESULTS, {
    path: ['page'],
    error: `reaches beyond the first ${MAX_SEARCH_RESULTS} results, which is as far as one query goes; narrow it instead`,
  });

export const searchHit = z
  .strictObject({
    document_id: z.uuid(),
    title: z.string(),
    score: z.number(),
    highlights: z.array(z.strictObject({ field: z.string(), snippet: z.string() })),
    page: z.int().nullable(),
    filename: z.string(),
    mime_type: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'SearchHit' });

export const searchBody = z
  .strictObject({
    results: z.array(searchHit),
    total: z.int(),
    total_is_lower_bound: z.boolean().optional(),
    facets: z.strictObject({ mime_types: z.record(z.string(), z.int()), labels: z.record(z.string(), z.int()) }),
  })
  .meta({ id: 'SearchAnswer' });
export type SearchBody = z.infer<typeof searchBody>;
