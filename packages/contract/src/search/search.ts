import { FIELD_OPERATORS } from '@sheaf/vocabulary/custom-fields';
import { UNIQUE_KEYS } from '@sheaf/vocabulary/document-fields';
import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import {
  MAX_CLAUSE_CHARACTERS,
  MAX_QUERY_CHARACTERS,
  MAX_SEARCH_RESULTS,
  MAX_SUGGEST_CHARACTERS,
  MAX_SUGGESTIONS,
} from '@sheaf/vocabulary/limits';
import { SEARCH_SORT_FIELDS, type SearchSortField } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { fieldFilters, fieldValue } from '../documents/custom-field.ts';
import { describedFilterShape } from '../documents/document-update.ts';
import { labelMatch } from '../documents/filing.ts';
import { rule } from '../issue.ts';
import { moment } from '../moment.ts';
import { type PageQuery, pageQuery, rowId } from '../page.ts';

const MAX_CONDITIONS = 200;
const MAX_IDS = 1_000;
/** Of JSON: ten levels of an expression on custom fields are twenty of JSON. */
const MAX_DEPTH = 32;

/** How texts are compared; case is ignored. */
export const TEXT_COMPARISONS = ['icontains', 'istartswith', 'iendswith', 'iexact'] as const;
export type TextComparison = (typeof TEXT_COMPARISONS)[number];

const comparison = z.enum(['gt', 'gte', 'lt', 'lte', 'equal']);
const dateField = z.enum(['created', 'added', 'modified']);
const referenceField = z.enum(['document', 'tag', 'correspondent', 'document_type', 'owner', 'custom_field']);
const ids = z.array(rowId).max(MAX_IDS);
const text = z.string().max(MAX_CLAUSE_CHARACTERS);

/** What is asked of the values of custom fields. */
export type FieldQuery =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FieldQuery[] }
  | { readonly kind: 'not'; readonly of: FieldQuery }
  /** The document has the field, with or without a value; or not. */
  | { readonly kind: 'given'; readonly field_id: string; readonly is_given: boolean }
  /** The document has the field with a value; or without one. */
  | { readonly kind: 'valued'; readonly field_id: string; readonly is_given: boolean }
  | { readonly kind: 'text'; readonly field_id: string; readonly compare: TextComparison; readonly text: string }
  | {
      readonly kind: 'compared';
      readonly field_id: string;
      readonly operator: (typeof FIELD_OPERATORS)[number];
      readonly value: z.infer<typeof fieldValue>;
    };

const fieldQuery: z.ZodType<FieldQuery> = z
  .lazy(() =>
    z.union([
      z.strictObject({ kind: z.enum(['and', 'or']), of: z.array(fieldQuery).max(MAX_CONDITIONS) }),
      z.strictObject({ kind: z.literal('not'), of: fieldQuery }),
      z.strictObject({ kind: z.enum(['given', 'valued']), field_id: rowId, is_given: z.boolean() }),
      z.strictObject({ kind: z.literal('text'), field_id: rowId, compare: z.enum(TEXT_COMPARISONS), text }),
      z.strictObject({ kind: z.literal('compared'), field_id: rowId, operator: z.enum(FIELD_OPERATORS), value: fieldValue }),
    ]),
  )
  .meta({ id: 'FieldQuery' });

const documentCondition = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('never') }),
    z.strictObject({ kind: z.literal('reference'), field: referenceField, match: z.enum(['all', 'any', 'none']), ids }),
    z.strictObject({ kind: z.literal('given'), field: z.enum([...referenceField.options, ...UNIQUE_KEYS]), is_given: z.boolean() }),
    z.strictObject({
      kind: z.literal('text'),
      field: z.enum(['title', 'original_filename', 'checksum', 'mime_type', 'correspondent', 'document_type', 'tag', 'custom_fields']),
      compare: z.enum(TEXT_COMPARISONS),
      text,
    }),
    z.strictObject({ kind: z.literal('day'), field: dateField, compare: comparison, day: z.iso.date() }),
    z.strictObject({ kind: z.literal('moment'), field: dateField, compare: comparison, moment }),
    z.strictObject({ kind: z.literal('part'), field: dateField, part: z.enum(['year', 'month', 'day']), value: z.int() }),
    z.strictObject({ kind: z.literal(UNIQUE_KEYS), compare: comparison, value: z.int() }),
    z.strictObject({ kind: z.literal('fields'), query: fieldQuery }),
    z.strictObject({
      kind: z.literal('words'),
      fields: z
        .array(z.enum(['title', 'content']))
        .min(1)
        .max(2),
      text: text.min(1),
    }),
    z.strictObject({ kind: z.literal('like'), id: rowId }),
  ])
  .meta({ id: 'DocumentCondition' });
export type DocumentCondition = z.infer<typeof documentCondition>;

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' && value !== null && (depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1)));

/** Refused before the parts are read, as these are read recursively. */
const notTooDeep = (value: unknown, context: z.RefinementCtx): unknown => {
  if (!isDeeper(value, MAX_DEPTH)) return value;
  context.addIssue({ code: 'custom', ...rule('too_many', { maximum: MAX_DEPTH }) });
  return z.NEVER;
};

const documentConditions = z
  .preprocess(notTooDeep, z.array(documentCondition).max(MAX_CONDITIONS))
  .describe('Conditions that must all hold, for what no other filter says; saved views of apps for Paperless-ngx have them');

/** One key of an order; the keys after it part those that it leaves equal. */
export interface SearchSort {
  readonly field: SearchSortField;
  readonly order: 'asc' | 'desc';
}

/** Refuses pages behind the last result that can be reached. */
export const reachesTooFar = ({ page, per_page }: PageQuery): boolean => page * per_page > MAX_SEARCH_RESULTS;
export const REACHES_TOO_FAR = `is beyond the first ${MAX_SEARCH_RESULTS} results, the limit of a query; refine the query`;

const languageCode = z.string().max(20).describe('Detected language as a Tesseract code, such as deu');

export const searchFilters = z
  .strictObject({
    mime_types: z.array(z.string().max(200)).max(50),
    label_ids: z.array(rowId).max(100),
    label_match: labelMatch,
    has_labels: z.boolean().describe('false: only documents without labels'),
    source_id: rowId,
    owner_id: rowId,
    status: z.enum(DOCUMENT_STATUSES),
    language: languageCode.or(z.array(languageCode).max(50)),
    date_from: moment,
    date_to: moment,
    date_range: z
      .strictObject({ from: moment, to: moment })
      .partial()
      .describe('Creation time of the document; a date without time is the whole day in UTC'),
    ...describedFilterShape,
    correspondent_ids: z.array(rowId).max(100),
    document_type_ids: z.array(rowId).max(100),
    has_correspondent: z.boolean(),
    has_document_type: z.boolean(),
    has_similar: z.boolean().describe('true: only documents with a near-duplicate that the caller may read; false: only the others'),
    fields: fieldFilters,
    conditions: documentConditions,
    min_confidence: z.number().min(0).max(1),
    min_size: z.number().int().min(0),
    max_size: z.number().int().min(0),
  })
  .partial()
  .meta({ id: 'SearchFilters' });
export type SearchFilters = z.infer<typeof searchFilters>;

const sortField = z.enum(SEARCH_SORT_FIELDS);
const sortOrder = z.enum(['asc', 'desc']);

export const asksForSomething = ({ q, filters }: { readonly q: string; readonly filters?: string | undefined }): boolean =>
  q !== '' || filters !== undefined;
export const NOTHING_ASKED = { path: ['q'], ...rule('required') };

export const searchQuery = pageQuery
  .extend({
    q: z
      .string()
      .max(MAX_QUERY_CHARACTERS)
      .default('')
      .describe(
        `Words (all must match), "phrases", -word, OR, prefix*, *inside*, title: filename: content: note: label: from: type: date: created: added: modified: asn: owner: field.NAME:. At most ${MAX_QUERY_CHARACTERS} characters; the first 64 words and phrases are used. Empty only with filters: all documents that pass them.`,
      ),
    filters: z.string().max(10_000).optional().describe('SearchFilters as JSON, at most 10,000 characters'),
    sort: sortField.default('score').describe('`relevance` is another name of `score`'),
    order: sortOrder.default('desc'),
    highlight: z.stringbool().default(true),
    fuzzy: z
      .stringbool()
      .default(false)
      .describe('Typo tolerance of one or two characters per word; corrected_query is the query that was used'),
  })
  .refine(asksForSomething, NOTHING_ASKED)
  .refine((query) => !reachesTooFar(query), { path: ['page'], error: REACHES_TOO_FAR });

export const WARNING_CODES = [
  'unknown_field',
  'invalid_value',
  'unknown_custom_field',
  'only_exclusions',
  'no_words',
  'too_many_words',
] as const;

/** What of a query was not understood. */
export const searchWarning = z
  .strictObject({
    code: z.enum(WARNING_CODES),
    message: z.string(),
    part: z.string().describe('The part of the query that the warning is about'),
  })
  .meta({ id: 'SearchWarning' });
export type SearchWarning = z.infer<typeof searchWarning>;

export const searchWarnings = z
  .array(searchWarning)
  .optional()
  .describe('Parts of the query that were not understood; missing where there are none');

const named = z.strictObject({ id: z.uuid(), name: z.string() });

export const searchHit = z
  .strictObject({
    document_id: z.uuid(),
    title: z.string(),
    score: z.number(),
    highlights: z.array(z.strictObject({ field: z.string().describe('title, content or note'), snippet: z.string() })),
    page: z.int().nullable(),
    filename: z.string(),
    mime_type: z.string(),
    created_at: z.iso.datetime(),
    document_date: z.iso.date().nullable(),
    correspondent: named.nullable(),
    document_type: named.nullable(),
  })
  .meta({ id: 'SearchHit' });

const counts = z.record(z.string(), z.int());
const namedCounts = z.array(named.extend({ count: z.int() }));

const facets = z.strictObject({
  mime_types: counts,
  labels: counts,
  sources: counts,
  years: counts.describe('By the year in which the documents came in'),
  languages: counts,
  document_years: counts.describe('By the year of document_date; the 20 that most have'),
  correspondents: namedCounts.describe('The 20 that most have, most first'),
  document_types: namedCounts.describe('The 20 that most have, most first'),
});

export const searchBody = z
  .strictObject({
    results: z.array(searchHit),
    total: z.int(),
    total_is_lower_bound: z.boolean().optional().describe('There are at least `total` results, and possibly more'),
    facets_are_lower_bounds: z
      .boolean()
      .optional()
      .describe('The facets count a part of the results: a value has at least so many, and rare values can be missing'),
    words_truncated: z
      .boolean()
      .optional()
      .describe('A part of a word, such as *insurance*, is in more words than were searched; the most frequent were searched'),
    warnings: searchWarnings,
    corrected_query: z.string().optional().describe('Corrected query that was used, with fuzzy=true'),
    facets,
  })
  .meta({ id: 'SearchAnswer' });
export type SearchBody = z.infer<typeof searchBody>;

export const suggestQuery = z.strictObject({
  q: z
    .string()
    .max(MAX_SUGGEST_CHARACTERS)
    .default('')
    .describe(`Text entered so far, at most ${MAX_SUGGEST_CHARACTERS} characters; the last word is completed`),
});

const suggestion = z
  .strictObject({
    text: z.string(),
    type: z.enum(['word', 'title', 'correspondent', 'document_type']),
    document_id: z.uuid().optional().describe('Document with this title'),
    correspondent_id: z.uuid().optional().describe('Correspondent with this name'),
    document_type_id: z.uuid().optional().describe('Document type with this name'),
  })
  .meta({ id: 'Suggestion' });
export type Suggestion = z.infer<typeof suggestion>;

export const suggestBody = z.strictObject({ suggestions: z.array(suggestion).max(MAX_SUGGESTIONS) }).meta({ id: 'Suggestions' });
export type SuggestBody = z.infer<typeof suggestBody>;
