import {
  MAX_CORRESPONDENT_CHARACTERS,
  MAX_CORRESPONDENT_DETAILS,
  MAX_DOCUMENT_TYPE_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABEL_DOCUMENTS,
} from '@sheaf/vocabulary/limits';
import { FILING_SORT_FIELDS, LABEL_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { containedText, pageQuery, rowId } from '../page.ts';

export const labelMatch = z.enum(['any', 'all']).describe('Whether documents have any of the labels, or all of them');

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

/** The name of a label, correspondent or type of documents: one line of at most `maximum` characters. */
export const entryName = (maximum: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .refine((name) => characters(name) >= 1 && characters(name) <= maximum, rule('length_between', { minimum: 1, maximum }))
    .refine((name) => !/\p{Cc}/u.test(name), rule('control_characters'));

const MAX_DESCRIPTION_CHARACTERS = 1_000;

export const labelName = entryName(MAX_LABEL_CHARACTERS).describe(
  `1 to ${MAX_LABEL_CHARACTERS} characters; unique among the labels the caller can see, case-insensitive`,
);

const labelColor = textLike(/^#[0-9a-fA-F]{6}$/, 'not_color').describe('# followed by six hexadecimal digits');

const labelDescription = z
  .string()
  .refine((text) => characters(text) <= MAX_DESCRIPTION_CHARACTERS, rule('too_long', { maximum: MAX_DESCRIPTION_CHARACTERS }))
  .refine((text) => !text.includes('\0'), rule('nul'))
  .describe(`At most ${MAX_DESCRIPTION_CHARACTERS} characters`);

const parentId = rowId.nullable().describe('Label above this one; documents with this label also get the labels above it. null: none');

/** Choice: the colour may be left out and is grey then. */
const DEFAULT_COLOR = '#808080';

export const createLabelRequest = z
  .strictObject({
    name: labelName,
    color: labelColor.default(DEFAULT_COLOR),
    description: labelDescription.default(''),
    parent_id: parentId.optional(),
  })
  .meta({ id: 'CreateLabel' });
export type CreateLabelRequest = z.infer<typeof createLabelRequest>;

/** Only what is given changes. */
export const updateLabelRequest = z
  .strictObject({
    name: labelName.optional(),
    color: labelColor.optional(),
    description: labelDescription.optional(),
    parent_id: parentId.optional(),
  })
  .meta({ id: 'UpdateLabel' });
export type UpdateLabelRequest = z.infer<typeof updateLabelRequest>;

export const labelListQuery = pageQuery.extend({
  sort: z.enum(LABEL_SORT_FIELDS).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
  q: containedText(MAX_LABEL_CHARACTERS).optional().describe('Labels whose name contains this text, case-insensitive'),
});

export const labelDocumentsRequest = z
  .strictObject({ document_ids: z.array(rowId).min(1).max(MAX_LABEL_DOCUMENTS) })
  .meta({ id: 'LabelDocuments' });

export const labelBody = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    color: z.string(),
    description: z.string(),
    parent_id: z.uuid().nullable().describe('Label above this one, if the caller can see it'),
    path: z.array(z.string()).describe('Names from the topmost label to this one'),
    document_count: z.int().describe('Documents with this label that the caller can see'),
    created_by: z.string().nullable().describe('User name; null if the user was deleted'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Label' });
export type LabelBody = z.infer<typeof labelBody>;

const correspondentName = entryName(MAX_CORRESPONDENT_CHARACTERS).describe(
  `1 to ${MAX_CORRESPONDENT_CHARACTERS} characters; unique among the correspondents the caller can see, case-insensitive`,
);
const documentTypeName = entryName(MAX_DOCUMENT_TYPE_CHARACTERS).describe(
  `1 to ${MAX_DOCUMENT_TYPE_CHARACTERS} characters; unique among the document types the caller can see, case-insensitive`,
);

/** Each once, the first of those that are the same. */
const listOf = <T extends z.ZodType<string>>(item: T) =>
  z
    .array(item)
    .max(MAX_CORRESPONDENT_DETAILS)
    .transform((items) => [...new Set(items)]);

/** Upper case, without what people write between the groups of a number. */
const plainNumber = z
  .string()
  .max(100)
  .transform((text) => text.replace(/[\s.-]/g, '').toUpperCase());

const iban = plainNumber.refine((text) => /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text), rule('not_iban'));
const vatId = plainNumber.refine((text) => /^[A-Z0-9+*/]{4,20}$/.test(text), rule('not_vat_id'));
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .refine((text) => text.length <= 253 && /^[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+$/u.test(text), rule('not_domain'));

const details = {
  aliases: listOf(entryName(MAX_CORRESPONDENT_CHARACTERS)).describe('Other names of the correspondent'),
  ibans: listOf(iban).describe('Stored without spaces, in upper case'),
  vat_ids: listOf(vatId).describe('Stored without spaces, dots and hyphens, in upper case'),
  domains: listOf(domain).describe('Domains of e-mail and web addresses, such as example.org'),
};

export const createCorrespondentRequest = z
  .strictObject({
    name: correspondentName,
    aliases: details.aliases.default([]),
    ibans: details.ibans.default([]),
    vat_ids: details.vat_ids.default([]),
    domains: details.domains.default([]),
  })
  .meta({ id: 'CreateCorrespondent' });

/** Only what is given changes; a list replaces the one before. */
export const updateCorrespondentRequest = z
  .strictObject({ name: correspondentName, ...details })
  .partial()
  .meta({ id: 'UpdateCorrespondent' });

export const createDocumentTypeRequest = z.strictObject({ name: documentTypeName }).meta({ id: 'CreateDocumentType' });
export const updateDocumentTypeRequest = z.strictObject({ name: documentTypeName }).partial().meta({ id: 'UpdateDocumentType' });

/** The other row, which stays. */
export const mergeRequest = z
  .strictObject({ into: rowId.describe('ID of the entry that stays and receives the documents') })
  .meta({ id: 'Merge' });

/** Of lists of correspondents and of document types. */
export const filingListQuery = pageQuery.extend({
  sort: z.enum(FILING_SORT_FIELDS).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
  q: containedText(MAX_CORRESPONDENT_CHARACTERS).optional().describe('Entries whose name contains this text, case-insensitive'),
});

const entryBody = {
  id: z.uuid(),
  name: z.string(),
  document_count: z.int().describe('Documents of this entry that the caller can see'),
  created_by: z.string().nullable().describe('User name; null if the user was deleted'),
  created_at: z.iso.datetime(),
};

export const correspondentBody = z
  .strictObject({
    ...entryBody,
    aliases: z.array(z.string()),
    ibans: z.array(z.string()),
    vat_ids: z.array(z.string()),
    domains: z.array(z.string()),
  })
  .meta({ id: 'Correspondent' });
export type CorrespondentBody = z.infer<typeof correspondentBody>;

export const documentTypeBody = z.strictObject(entryBody).meta({ id: 'DocumentType' });
export type DocumentTypeBody = z.infer<typeof documentTypeBody>;
