import { MAX_LABEL_CHARACTERS, MAX_LABEL_DOCUMENTS } from '@sheaf/vocabulary/limits';
import { LABEL_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { containedText, pageQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

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
