import { storableText } from '@sheaf/contract';
import { z } from 'zod';

/** The parts of records of Paperless-ngx that are taken over; what else a version writes is left aside. */
const pk = z.union([z.int(), z.string().max(100)]).transform(String);
const reference = pk.nullish().transform((id) => id ?? undefined);
const text = z.string().transform(storableText);
const optionalText = text.nullish().transform((given) => given ?? '');
const moment = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((given) => (given === null || given === undefined ? undefined : new Date(given)));

const matching = {
  match: optionalText,
  matching_algorithm: z
    .int()
    .nullish()
    .transform((given) => given ?? 0),
  is_insensitive: z.boolean().default(true),
  owner: reference,
};

export const tagFields = z.object({
  name: text,
  color: optionalText,
  is_inbox_tag: z.boolean().default(false),
  tn_parent: reference,
  ...matching,
});
export type TagFields = z.infer<typeof tagFields>;

/** Correspondents and document types. */
export const entryFields = z.object({ name: text, ...matching });
export type EntryFields = z.infer<typeof entryFields>;

export const storagePathFields = z.object({ name: text, path: optionalText, ...matching });

const selectOption = z.union([
  text.transform((label) => ({ id: undefined, label })),
  z.object({ id: text.nullish().transform((id) => id ?? undefined), label: text }),
]);

export const customFieldFields = z.object({
  name: text,
  data_type: text,
  extra_data: z
    .object({
      select_options: z
        .array(selectOption.nullable())
        .nullish()
        .transform((options) => (options ?? []).filter((option) => option !== null)),
      default_currency: optionalText,
    })
    .partial()
    .nullish()
    .transform((given) => given ?? {}),
});
export type CustomFieldFields = z.infer<typeof customFieldFields>;

/** The value stands in the one of its columns that is not null. */
export const fieldInstanceFields = z.looseObject({ document: pk, field: pk, deleted_at: moment });
export type FieldInstanceFields = z.infer<typeof fieldInstanceFields>;

export const noteFields = z.object({ note: text, created: moment, document: reference, user: reference, deleted_at: moment });
export type NoteFields = z.infer<typeof noteFields>;

export const documentFields = z.object({
  title: optionalText,
  content: optionalText,
  correspondent: reference,
  document_type: reference,
  storage_path: reference,
  owner: reference,
  tags: z.array(pk).default([]),
  mime_type: optionalText,
  checksum: optionalText,
  page_count: z
    .int()
    .positive()
    .nullish()
    .transform((given) => given ?? undefined),
  created: optionalText,
  added: moment,
  modified: moment,
  original_filename: optionalText,
  archive_serial_number: z
    .number()
    .nullish()
    .transform((given) => given ?? undefined),
  deleted_at: moment,
  root_document: reference,
  version_index: z
    .int()
    .nullish()
    .transform((given) => given ?? 0),
  version_label: optionalText,
});
export type DocumentFields = z.infer<typeof documentFields>;

export const userFields = z.object({
  username: text,
  email: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  password: optionalText,
  is_superuser: z.boolean().default(false),
  is_active: z.boolean().default(true),
  groups: z.array(pk).default([]),
  user_permissions: z.array(pk).default([]),
});
export type UserFields = z.infer<typeof userFields>;

export const permissionFields = z.object({ codename: text });
export const groupFields = z.object({ name: text, permissions: z.array(pk).default([]) });

export const objectPermissionFields = z.object({ permission: pk, object_pk: pk, user: reference, group: reference });

export const savedViewFields = z.object({
  name: text,
  owner: reference,
  sort_field: optionalText,
  sort_reverse: z.boolean().default(false),
  show_on_dashboard: z.boolean().nullish(),
  show_in_sidebar: z.boolean().nullish(),
});
export type SavedViewFields = z.infer<typeof savedViewFields>;

export const filterRuleFields = z.object({
  saved_view: pk,
  rule_type: z.int(),
  value: z
    .string()
    .nullish()
    .transform((given) => storableText(given ?? '')),
});
