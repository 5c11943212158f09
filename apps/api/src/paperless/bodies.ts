import { z } from 'zod';

/** Whom Paperless would name here: nobody, as roles decide in Sheaf. */
const people = z.strictObject({ users: z.array(z.int()), groups: z.array(z.int()) });
export const permissionsBody = z.strictObject({ view: people, change: people });
export const NO_PERMISSIONS: z.infer<typeof permissionsBody> = { view: { users: [], groups: [] }, change: { users: [], groups: [] } };

const noteUser = z.strictObject({ id: z.int(), username: z.string(), first_name: z.string(), last_name: z.string() });

export const paperlessNote = z.strictObject({
  id: z.int(),
  note: z.string(),
  created: z.iso.datetime(),
  document: z.int(),
  user: noteUser.nullable(),
});
export type PaperlessNote = z.infer<typeof paperlessNote>;

const customFieldValue = z.strictObject({
  field: z.int(),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.int())]).nullable(),
});

/** A document; a list may be asked for some of the fields alone. */
export const paperlessDocument = z
  .strictObject({
    id: z.int(),
    correspondent: z.int().nullable(),
    document_type: z.int().nullable(),
    storage_path: z.null(),
    title: z.string(),
    content: z.string(),
    tags: z.array(z.int()),
    created: z.iso.date(),
    created_date: z.iso.date(),
    modified: z.iso.datetime(),
    added: z.iso.datetime(),
    deleted_at: z.null(),
    archive_serial_number: z.int().nullable(),
    original_file_name: z.string(),
    archived_file_name: z.null(),
    owner: z.int(),
    user_can_change: z.boolean(),
    permissions: permissionsBody,
    is_shared_by_requester: z.boolean(),
    notes: z.array(paperlessNote),
    custom_fields: z.array(customFieldValue),
    page_count: z.int().nullable(),
    mime_type: z.string(),
    __search_hit__: z.strictObject({ score: z.number(), highlights: z.string(), note_highlights: z.string(), rank: z.int() }),
  })
  .partial();
export type PaperlessDocument = z.infer<typeof paperlessDocument>;

/** What tags, correspondents and document types have in common. */
const entry = {
  id: z.int(),
  slug: z.string(),
  name: z.string(),
  match: z.literal(''),
  matching_algorithm: z.literal(0),
  is_insensitive: z.literal(true),
  document_count: z.int(),
  owner: z.null(),
  user_can_change: z.boolean().optional(),
  permissions: permissionsBody.optional(),
};

export const paperlessEntry = z.strictObject(entry);
export type PaperlessEntry = z.infer<typeof paperlessEntry>;

/** All that an answer has of a tag, but for the tags below it. */
export const tagFields = {
  ...entry,
  color: z.string(),
  text_color: z.string(),
  is_inbox_tag: z.literal(false),
  parent: z.int().nullable(),
};

export interface PaperlessTag extends PaperlessEntry {
  readonly color: string;
  readonly text_color: string;
  readonly is_inbox_tag: false;
  readonly parent: number | null;
  readonly children: PaperlessTag[];
}
export const paperlessTag: z.ZodType<PaperlessTag> = z.strictObject({ ...tagFields, children: z.array(z.lazy(() => paperlessTag)) });

/** What is answered where the form is known from Paperless alone, such as settings of its own web client. */
export const anyBody = z.record(z.string(), z.unknown());
