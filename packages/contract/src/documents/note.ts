import { MAX_NOTE_CHARACTERS } from '@sheaf/vocabulary/limits';
import { NOTE_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { askedPagination, partQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

export const noteBody = z
  .strictObject({
    id: z.uuid(),
    text: z.string(),
    author: z.strictObject({ id: z.uuid(), username: z.string() }).nullable().describe('Null if the account was deleted'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Note' });
export type NoteBody = z.infer<typeof noteBody>;

export const noteParams = z.strictObject({ id: rowId, note_id: rowId });

export const noteListQuery = partQuery(NOTE_SORT_FIELDS, { sort: 'created_at', order: 'asc' });

export const notesBody = z.strictObject({ notes: z.array(noteBody), pagination: askedPagination }).meta({ id: 'Notes' });

export const createNoteRequest = z
  .strictObject({
    text: z
      .string()
      .refine((text) => !text.includes('\0') && text.isWellFormed(), rule('nul'))
      .normalize()
      .trim()
      .min(1)
      .refine((text) => characters(text) <= MAX_NOTE_CHARACTERS, rule('too_long', { maximum: MAX_NOTE_CHARACTERS }))
      .describe(`1 to ${MAX_NOTE_CHARACTERS} characters`),
  })
  .meta({ id: 'CreateNote' });
