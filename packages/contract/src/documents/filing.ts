import { MAX_CORRESPONDENT_CHARACTERS, MAX_CORRESPONDENT_DETAILS, MAX_DOCUMENT_TYPE_CHARACTERS } from '@sheaf/vocabulary/limits';
import { FILING_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { containedText, pageQuery } from '../page.ts';
import { rowId } from '../row-id.ts';
import { entryName } from './label.ts';

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
