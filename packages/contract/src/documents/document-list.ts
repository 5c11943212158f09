import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { PAGE_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { labelMatch } from '../label-match.ts';
import { moment } from '../moment.ts';
import { askedPage, pageQuery, partQuery } from '../page.ts';
import { rowId } from '../row-id.ts';
import { fieldFilterQuery } from './document-update.ts';
import { fieldFiltersQuery } from './field-values.ts';

/** Items in one text, parted by commas, as query strings and forms have them. */
const items = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** At most `max` ids. */
export const idList = (max: number) => items.pipe(z.array(rowId).max(max));

/** At most `max` short texts. */
const textList = (max: number) => items.pipe(z.array(z.string().max(200)).max(max));

export const documentListQuery = pageQuery.extend({
  sort: z.enum(DOCUMENT_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  status: z.enum(DOCUMENT_STATUSES).optional(),
  source_id: rowId.optional(),
  language: z
    .string()
    .regex(/^[A-Za-z_]{3,20}$/)
    .optional()
    .describe('Detected language as a Tesseract code, such as deu'),
  owner_id: rowId.optional(),
  mime_types: textList(50).optional().describe('MIME types, comma-separated, at most 50'),
  label_ids: idList(50).optional().describe('Label IDs, comma-separated, at most 50'),
  label_match: labelMatch.default('any'),
  has_labels: z.stringbool().optional().describe('false: only documents without labels'),
  date_from: moment.optional().describe('Created at or after this time; a date is the start of the day in UTC'),
  date_to: moment.optional().describe('Created at or before this time; a date is the end of the day in UTC'),
  ...fieldFilterQuery,
  correspondent_ids: idList(50).optional().describe('Correspondent IDs, comma-separated, at most 50'),
  has_correspondent: z.stringbool().optional().describe('false: only documents without a correspondent'),
  document_type_ids: idList(50).optional().describe('Document type IDs, comma-separated, at most 50'),
  has_document_type: z.stringbool().optional().describe('false: only documents without a document type'),
  has_similar: z
    .stringbool()
    .optional()
    .describe('true: only documents with a near-duplicate that the caller may read; false: only the others'),
  imported_from: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('ID in the system from which the document was imported, such as paperless:123'),
  fields: fieldFiltersQuery.optional(),
});

const pageNumber = z.coerce.number().int().min(1).max(1_000_000);

/** A page of a document, starting at 1. */
export const pageParams = z.strictObject({ id: rowId, page: pageNumber });

const pageRange = z.strictObject({
  from: pageNumber.default(1).describe('First page, starting at 1'),
  to: pageNumber.optional().describe(`Last page; default: ${MAX_PAGES_PER_ANSWER} pages starting at \`from\``),
});

interface PageRange {
  readonly from: number;
  readonly to?: number | undefined;
}

const checkRange = ({ from, to = from }: PageRange, context: z.RefinementCtx, isCut: boolean): void => {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['to'], message });
  if (to < from) refuse('must not be less than from');
  if (!isCut && to - from >= MAX_PAGES_PER_ANSWER) refuse(`is too large: a response contains at most ${MAX_PAGES_PER_ANSWER} pages`);
};

export const documentPagesQuery = pageRange.superRefine((range, context) => checkRange(range, context, false));

const asked = partQuery(PAGE_SORT_FIELDS, { sort: 'page', order: 'asc' }).shape;

export const documentPageListQuery = pageRange
  .extend({
    ...asked,
    page: asked.page.describe(
      'Page of the list, starting at 1. With `page` or `per_page` the list has all pages of the document from `from` to `to`',
    ),
  })
  .superRefine((query, context) => checkRange(query, context, askedPage(query) !== undefined));
