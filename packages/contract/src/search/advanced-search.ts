import {
  DEFAULT_PER_PAGE,
  MAX_CLAUSE_CHARACTERS,
  MAX_CLAUSES,
  MAX_PER_PAGE,
  MAX_SEARCH_RESULTS,
  MAX_SORT_KEYS,
} from '@sheaf/vocabulary/limits';
import { SEARCH_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { moment } from '../moment.ts';
import { REACHES_TOO_FAR, reachesTooFar, searchFilters } from './search.ts';

const CLAUSE_FIELDS = [
  'any',
  'title',
  'filename',
  'content',
  'note',
  'label',
  'labels',
  'correspondent',
  'document_type',
  'mime_type',
  'status',
  'source',
  'created_at',
] as const;
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
      .describe(
        'Field to search; any is title, filename, content and notes. label (or labels) takes the name or ID of a label, correspondent a name, another known name or ID, document_type a name or ID, source the name or ID of a source or how the document was added, created_at a time or a day in UTC. metadata.<key> is the value of a metadata key, as text',
      ),
    value: z
      .union([z.string().min(1).max(MAX_CLAUSE_CHARACTERS), z.number(), z.boolean()], {
        error: `must be a text of 1 to ${MAX_CLAUSE_CHARACTERS} characters, a number or a boolean`,
      })
      .describe(`Search value: 1 to ${MAX_CLAUSE_CHARACTERS} characters; numbers and booleans are compared as text`),
    type: z
      .enum(['match', 'contains', 'exact'])
      .default('match')
      .describe(
        'match: the field contains all words of the value, in any inflection and order (for a label: its name). ' +
          'contains: the field contains the text, ignoring case and accents; in content the words are adjacent, and the last one can be a prefix. ' +
          'exact: the field equals the value, ignoring case; in content the words are adjacent. created_at has one meaning for all types.',
      ),
  })
  .refine(({ field, value }) => field !== 'created_at' || moment.safeParse(String(value)).success, {
    path: ['value'],
    error: 'must be an ISO 8601 date or time',
  })
  .meta({ id: 'SearchClause' });
export type SearchClause = z.infer<typeof searchClause>;

const clauses = (meaning: string) => z.array(searchClause).max(MAX_CLAUSES).default([]).describe(meaning);

const searchQueryBody = z
  .strictObject({
    must: clauses('Clauses that must match'),
    should: clauses('Clauses that increase the score; without must, at least one has to match'),
    must_not: clauses('Clauses that must not match'),
  })
  .refine(({ must, should, must_not }) => must.length + should.length + must_not.length <= MAX_CLAUSES, {
    error: `has more than ${MAX_CLAUSES} clauses`,
  })
  .describe(
    `At most ${MAX_CLAUSES} clauses in total, not nested. Without clauses every document matches; with must_not alone, all documents except those`,
  );

const sortKey = z.strictObject({ field: z.enum(SEARCH_SORT_FIELDS), order: z.enum(['asc', 'desc']).default('desc') });

export const advancedSearchRequest = z
  .strictObject({
    query: searchQueryBody,
    filters: searchFilters.default({}),
    sort: z.array(sortKey).max(MAX_SORT_KEYS).default([]).describe(`At most ${MAX_SORT_KEYS} keys; default: relevance, then newest first`),
    page: z.int().min(1).max(MAX_SEARCH_RESULTS).default(1),
    per_page: z.int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE),
    highlight: z.boolean().default(true),
    fuzzy: z
      .boolean()
      .default(false)
      .describe('Typo tolerance of one or two characters per word; corrected_query is the query that was used'),
  })
  .refine((request) => !reachesTooFar(request), { path: ['page'], error: REACHES_TOO_FAR })
  .meta({ id: 'AdvancedSearch' });
export type AdvancedSearchRequest = z.infer<typeof advancedSearchRequest>;
