import {
  MAX_COLUMNS,
  MAX_FILTERS_CHARACTERS,
  MAX_PINNED_SEARCHES,
  MAX_QUERY_CHARACTERS,
  MAX_SAVED_SEARCH_NAME_CHARACTERS,
} from '@sheaf/vocabulary/limits';
import { INDEXED_DOCUMENT_SORT_FIELDS, SAVED_SEARCH_SORT_FIELDS, SEARCH_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { pageQuery, sortQuery } from '../page.ts';
import { searchFilters, searchWarnings } from './search.ts';

const MAX_COLUMN_CHARACTERS = 100;

/** Whether PostgreSQL stores the text as it is. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const hasStorableTexts = (filters: object): boolean =>
  Object.values(filters)
    .flat()
    .every((value) =>
      typeof value === 'string' ? isStorable(value) : typeof value !== 'object' || value === null || hasStorableTexts(value),
    );

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

const name = z
  .string()
  .refine((text) => isStorable(text), rule('nul'))
  .normalize('NFC')
  .trim()
  .refine(
    (text) => characters(text) >= 1 && characters(text) <= MAX_SAVED_SEARCH_NAME_CHARACTERS,
    rule('length_between', { minimum: 1, maximum: MAX_SAVED_SEARCH_NAME_CHARACTERS }),
  )
  .refine((text) => !/\p{Cc}/u.test(text), rule('control_characters'))
  .describe(`1 to ${MAX_SAVED_SEARCH_NAME_CHARACTERS} characters`);

const query = z
  .string()
  .max(MAX_QUERY_CHARACTERS)
  .refine((text) => isStorable(text), rule('nul'))
  .describe(`Query as in GET /api/search, at most ${MAX_QUERY_CHARACTERS} characters; empty: every document that passes the filters`);

const filters = searchFilters
  .refine((given) => hasStorableTexts(given), rule('nul'))
  .refine((given) => JSON.stringify(given).length <= MAX_FILTERS_CHARACTERS, rule('too_long', { maximum: MAX_FILTERS_CHARACTERS }))
  .describe(`SearchFilters, at most ${MAX_FILTERS_CHARACTERS} characters of JSON`);

const MAX_VIEW_RULES = 200;
const MAX_RULE_CHARACTERS = 10_000;

const viewRules = z
  .array(
    z.strictObject({
      rule_type: z.int(),
      value: z
        .string()
        .max(MAX_RULE_CHARACTERS)
        .refine((text) => isStorable(text), rule('nul'))
        .nullable(),
    }),
  )
  .max(MAX_VIEW_RULES)
  .refine((given) => JSON.stringify(given).length <= MAX_FILTERS_CHARACTERS, rule('too_long', { maximum: MAX_FILTERS_CHARACTERS }))
  .nullable()
  .describe('The rules of a saved view as an app for Paperless-ngx sent them; null once query or filters are changed otherwise');

const sort = z.enum([...new Set([...SEARCH_SORT_FIELDS, ...INDEXED_DOCUMENT_SORT_FIELDS])]);

const columns = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_COLUMN_CHARACTERS)
      .refine((text) => isStorable(text), rule('nul')),
  )
  .max(MAX_COLUMNS)
  .describe(`Columns of the list, at most ${MAX_COLUMNS}; empty: those that the user has chosen`);

const notify = z.boolean().describe('Whether you are notified of documents that match after their processing');
const isShared = z.boolean().describe('Whether everybody who may search can use it; each finds only what he may read');
const isPinned = z.boolean().describe(`Whether it is in your navigation, with at most ${MAX_PINNED_SEARCHES} others`);
const position = z
  .int()
  .min(0)
  .max(MAX_PINNED_SEARCHES - 1)
  .nullable()
  .describe('Place among your pinned searches, from 0; null where it is not pinned');

export const createSavedSearchRequest = z
  .strictObject({
    name,
    query: query.default(''),
    filters: filters.default({}),
    view_rules: viewRules.default(null),
    sort: sort.default('score'),
    order: z.enum(['asc', 'desc']).default('desc'),
    columns: columns.default([]),
    is_shared: isShared.default(false),
    is_pinned: isPinned.default(false),
    notify: notify.default(false),
  })
  .meta({ id: 'CreateSavedSearch' });

/** Only what is given changes. */
export const updateSavedSearchRequest = z
  .strictObject({
    name,
    query,
    filters,
    view_rules: viewRules,
    sort,
    order: z.enum(['asc', 'desc']),
    columns,
    is_shared: isShared,
    is_pinned: isPinned,
    position,
    notify,
    count: z.int().nullable().describe('Ignored, so that the body of a response can be sent back'),
  })
  .partial()
  .meta({ id: 'UpdateSavedSearch' });
export type UpdateSavedSearchRequest = z.infer<typeof updateSavedSearchRequest>;

const withCounts = z
  .stringbool()
  .default(false)
  .describe('Count the results of all searches. Otherwise only those of pinned searches are counted');

export const savedSearchQuery = z.strictObject({ with_counts: withCounts });

export const savedSearchListQuery = pageQuery.extend({
  pinned: z.stringbool().optional().describe('Only searches that are pinned, or are not'),
  with_counts: withCounts,
  ...sortQuery(SAVED_SEARCH_SORT_FIELDS, { sort: 'name', order: 'asc' }),
});

export const savedSearchBody = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    query: z.string(),
    filters: z.record(z.string(), z.unknown()).describe('SearchFilters'),
    view_rules: viewRules,
    sort: z.string(),
    order: z.enum(['asc', 'desc']),
    columns: z.array(z.string()),
    is_shared: z.boolean(),
    is_pinned: isPinned,
    position: z.int().nullable().describe('Place among your pinned searches, from 0; null where it is not pinned'),
    notify: notify.describe('Whether you are notified of new matches; only the owner can be'),
    count: z.int().nullable().describe('Results that you may read; null where they were not counted, or that took too long'),
    count_is_lower_bound: z.boolean().optional().describe('There are at least `count` results, and possibly more'),
    warnings: searchWarnings,
    owner: z.strictObject({ id: z.uuid(), name: z.string() }).nullable().describe('Only the owner can change the search'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedSearch' });
export type SavedSearchBody = z.infer<typeof savedSearchBody>;
