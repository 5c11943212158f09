import {
  DEFAULT_PER_PAGE,
  MAX_CLAUSE_CHARACTERS,
  MAX_CLAUSES,
  MAX_PER_PAGE,
  MAX_SEARCH_RESULTS,
  MAX_SORT_KEYS,
  SEARCH_SORT_FIELDS,
} from '@sheaf/vocabulary';
import { z } from 'zod';
import { REACHES_TOO_FAR, reachesTooFar, searchFilters } from './search.ts';

const CLAUSE_FIELDS = ['any', 'title', 'filename', 'content', 'label', 'mime_type'] as const;
const MAX_METADATA_KEY_CHARACTERS = 100;

const clauseField = z.enum(CLAUSE_FIELDS).or(z.templateLiteral(['metadata.', z.string().min(1).max(MAX_METADATA_KEY_CHARACTERS)]));

/** Choice: what the three types mean in each field; the spec names them only. */
export const searchClause = z
  .strictObject({
    field: z
      .union(clauseField.options, {
        error: `must be one of ${CLAUSE_FIELDS.join(', ')}, or metadata.<key> with a key of 1 to ${MAX_METADATA_KEY_CHARACTERS} characters`,
      })
      .default('any')
      .describe('Where to look; any is title, filename and content. metadata.<key> is the value of a key of the metadata, as text'),
    value: z
      .union([z.string().min(1).max(MAX_CLAUSE_CHARACTERS), z.number(), z.boolean()], {
        error: `must be a text of 1 to ${MAX_CLAUSE_CHARACTERS} characters, a number or a boolean`,
      })
      .describe(`What to look for: 1 to ${MAX_CLAUSE_CHARACTERS} characters; a number or a boolean is compared as text`),
    type: z
      .enum(['match', 'contains', 'exact'])
      .default('match')
      .describe(
        'match: all words of the value stand in the field, in any form and order (for a label: its name). ' +
          'contains: the text stands somewhere in the field, ignoring case and accents; in content its words stand one after the other, and the last one may go on. ' +
          'exact: the whole field is the value, ignoring case; in content its words stand one after the other.',
      ),
  })
  .meta({ id: 'SearchClause' });
export type SearchClause = z.infer<typeof searchClause>;

const clauses = (meaning: string) => z.array(searchClause).max(MAX_CLAUSES).default([]).describe(meaning);

const searchQueryBody = z
  .strictObject({
    must: clauses('All of these hold'),
    should: clauses('Those that hold raise the score; where must is empty, at least one of them holds'),
    must_not: clauses('None of these holds'),
  })
  .refine(({ must, should, must_not }) => must.length + should.length + must_not.length <= MAX_CLAUSES, {
    error: `has more than ${MAX_CLAUSES} clauses`,
  })
  .describe(
    `At most ${MAX_CLAUSES} clauses in all; clauses hold values, never other clauses. Without any clause every document is found, with must_not alone all but those`,
  );

const { date_from: from, date_to: to } = searchFilters.shape;

export const advancedSearchFilters = searchFilters
  .extend({
    date_range: z.strictObject({ from, to }).optional().describe('When the document came in; a date alone is the whole day, in UTC'),
  })
  .meta({ id: 'AdvancedSearchFilters' });
export type AdvancedSearchFilters = z.infer<typeof advancedSearchFilters>;

const sortKey = z.strictObject({ field: z.enum(SEARCH_SORT_FIELDS), order: z.enum(['asc', 'desc']).default('desc') });

export const advancedSearchRequest = z
  .strictObject({
    query: searchQueryBody,
    filters: advancedSearchFilters.default({}),
    sort: z
      .array(sortKey)
      .max(MAX_SORT_KEYS)
      .default([])
      .describe(`At most ${MAX_SORT_KEYS} keys; relevance, then the newest first, without any`),
    page: z.int().min(1).max(MAX_SEARCH_RESULTS).default(1),
    per_page: z.int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE),
    highlight: z.boolean().default(true),
    fuzzy: z.boolean().default(false).describe('Corrects one or two typing errors a word; corrected_query then says what was searched'),
  })
  .refine((request) => !reachesTooFar(request), { path: ['page'], error: REACHES_TOO_FAR })
  .meta({ id: 'AdvancedSearch' });
export type AdvancedSearchRequest = z.infer<typeof advancedSearchRequest>;
