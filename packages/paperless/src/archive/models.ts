import { z } from 'zod';

/*
 * The records that matter, as versions 1 to 3 write them. Fields that a version does not know are absent; fields that are not
 * listed are dropped. A field that has another type than here makes its record invalid, never the whole export.
 */

const key = z.int().nonnegative();
const maybeKey = key.nullish();
const text = z.string();
const maybeText = z.string().nullish();
const flag = z.boolean().optional();
const keys = z.array(key).default([]);
/** An ISO 8601 date, or date and time; `created` of a document is either, depending on the version. */
const date = z.string();
const maybeDate = z.string().nullish();
/** Set on what lies in the trash. */
const softDeleted = { deleted_at: maybeDate };

/** 0 none, 1 any word, 2 all words, 3 literal, 4 regular expression, 5 fuzzy, 6 automatic. */
const matching = {
  owner: maybeKey,
  name: text,
  match: text.default(''),
  matching_algorithm: z.int().default(0),
  is_insensitive: z.boolean().default(true),
};

const documents = {
  'documents.document': z.object({
    ...softDeleted,
    owner: maybeKey,
    correspondent: maybeKey,
    document_type: maybeKey,
    storage_path: maybeKey,
    title: text.default(''),
    content: text.default(''),
    mime_type: text,
    checksum: text,
    archive_checksum: maybeText,
    page_count: z.int().nullish(),
    created: date,
    modified: maybeDate,
    added: maybeDate,
    filename: maybeText,
    original_filename: maybeText,
    archive_serial_number: z.int().nullish(),
    /** Since 3: the document whose version this one is, and its place among them. */
    root_document: maybeKey,
    version_index: z.int().nullish(),
    version_label: maybeText,
    tags: keys,
  }),
  'documents.tag': z.object({
    ...matching,
    color: maybeText,
    is_inbox_tag: flag,
    /** Since 2.20. */
    tn_parent: maybeKey,
  }),
  'documents.correspondent': z.object(matching),
  'documents.documenttype': z.object(matching),
  'documents.storagepath': z.object({ ...matching, path: text.default('') }),
  'documents.note': z.object({ ...softDeleted, note: text.default(''), created: maybeDate, document: maybeKey, user: maybeKey }),
  'documents.sharelink': z.object({
    ...softDeleted,
    created: maybeDate,
    expiration: maybeDate,
    slug: text,
    document: key,
    file_version: text.default('archive'),
    owner: maybeKey,
  }),
} as const;

const customFields = {
  'documents.customfield': z.object({
    created: maybeDate,
    name: text,
    /** string, url, date, boolean, integer, float, monetary, documentlink, select or longtext. */
    data_type: text,
    extra_data: z
      .object({
        /** Labels until 2.12, whose values hold the index; objects with ids since. */
        select_options: z.array(z.union([text, z.object({ id: text, label: text }), z.null()])).nullish(),
        default_currency: maybeText,
      })
      .nullish(),
  }),
  'documents.customfieldinstance': z.object({
    ...softDeleted,
    created: maybeDate,
    document: key,
    field: key,
    value_text: maybeText,
    value_bool: z.boolean().nullish(),
    value_url: maybeText,
    value_date: maybeDate,
    value_int: z.number().nullish(),
    value_float: z.number().nullish(),
    /** Such as EUR12.50; without a currency in old ones. */
    value_monetary: z.union([text, z.number()]).nullish(),
    value_monetary_amount: z.union([text, z.number()]).nullish(),
    value_document_ids: z.array(key).nullish(),
    /** The id of an option, or its index until 2.12. */
    value_select: z.union([text, z.int()]).nullish(),
    value_long_text: maybeText,
  }),
} as const;

const accounts = {
  'auth.user': z.object({
    /** As Django writes it: pbkdf2_sha256$iterations$salt$hash, or ! and anything for none. */
    password: text.default('!'),
    last_login: maybeDate,
    is_superuser: z.boolean().default(false),
    username: text,
    first_name: text.default(''),
    last_name: text.default(''),
    email: text.default(''),
    is_staff: flag,
    is_active: z.boolean().default(true),
    date_joined: maybeDate,
    groups: keys,
    user_permissions: keys,
  }),
  'auth.group': z.object({ name: text, permissions: keys }),
  'auth.permission': z.object({ name: text.optional(), content_type: key, codename: text }),
  'contenttypes.contenttype': z.object({ app_label: text, model: text }),
  'guardian.userobjectpermission': z.object({
    permission: key,
    content_type: key,
    object_pk: z.union([text, key]),
    user: key,
  }),
  'guardian.groupobjectpermission': z.object({
    permission: key,
    content_type: key,
    object_pk: z.union([text, key]),
    group: key,
  }),
} as const;

const views = {
  'documents.savedview': z.object({
    owner: maybeKey,
    /** `user` before 1.13. */
    user: maybeKey,
    name: text,
    /** Until 2; later in the settings of each user. */
    show_on_dashboard: flag,
    show_in_sidebar: flag,
    sort_field: maybeText,
    sort_reverse: flag,
    page_size: z.int().nullish(),
    display_mode: maybeText,
    display_fields: z.array(text).nullish(),
  }),
  'documents.savedviewfilterrule': z.object({ saved_view: key, rule_type: z.int(), value: maybeText }),
  /** Has, since 3, which views a user sees where. */
  'documents.uisettings': z.object({ user: key, settings: z.record(z.string(), z.unknown()).nullish() }),
} as const;

const mail = {
  'paperless_mail.mailaccount': z.object({
    owner: maybeKey,
    name: text,
    imap_server: text.default(''),
    imap_port: z.int().nullish(),
    /** 1 none, 2 TLS, 3 STARTTLS. */
    imap_security: z.int().default(2),
    username: text.default(''),
    /** Encrypted where the export is. */
    password: text.default(''),
    is_token: flag,
    character_set: maybeText,
    /** 1 IMAP, 2 Gmail, 3 Outlook. */
    account_type: z.int().optional(),
    refresh_token: maybeText,
    expiration: maybeDate,
  }),
  'paperless_mail.mailrule': z.object({
    owner: maybeKey,
    name: text,
    order: z.int().optional(),
    account: key,
    enabled: z.boolean().default(true),
    folder: text.default('INBOX'),
    filter_from: maybeText,
    filter_to: maybeText,
    filter_subject: maybeText,
    filter_body: maybeText,
    filter_attachment_filename: maybeText,
    filter_attachment_filename_include: maybeText,
    filter_attachment_filename_exclude: maybeText,
    maximum_age: z.int().optional(),
    attachment_type: z.int().optional(),
    consumption_scope: z.int().optional(),
    pdf_layout: z.int().optional(),
    /** 1 delete, 2 move, 3 mark as read, 4 flag, 5 tag. */
    action: z.int().default(3),
    action_parameter: maybeText,
    assign_title_from: z.int().optional(),
    assign_document_type: maybeKey,
    assign_correspondent_from: z.int().optional(),
    assign_correspondent: maybeKey,
    assign_owner_from_rule: flag,
    stop_processing: flag,
    assign_tags: keys,
  }),
} as const;

/** Only what describes them: the rest of their fields is kept as it is. */
const workflows = {
  'documents.workflow': z.looseObject({ name: text, order: z.int().optional(), enabled: flag, triggers: keys, actions: keys }),
  'documents.workflowtrigger': z.looseObject({
    /** 1 consumption, 2 document added, 3 document updated, 4 scheduled. */
    type: z.int(),
    sources: maybeText,
    filter_path: maybeText,
    filter_filename: maybeText,
    filter_mailrule: maybeKey,
    match: text.default(''),
    matching_algorithm: z.int().default(0),
    is_insensitive: z.boolean().default(true),
    filter_has_document_type: maybeKey,
    filter_has_correspondent: maybeKey,
    filter_has_tags: keys,
  }),
  'documents.workflowaction': z.looseObject({
    /** 1 assignment, 2 removal, 3 e-mail, 4 webhook. */
    type: z.int(),
    assign_title: maybeText,
    assign_document_type: maybeKey,
    assign_correspondent: maybeKey,
    assign_storage_path: maybeKey,
    assign_owner: maybeKey,
    assign_tags: keys,
    assign_view_users: keys,
    assign_view_groups: keys,
    assign_change_users: keys,
    assign_change_groups: keys,
    assign_custom_fields: keys,
  }),
  'documents.workflowactionemail': z.looseObject({ subject: text.default(''), to: text.default('') }),
  'documents.workflowactionwebhook': z.looseObject({ url: text.default('') }),
} as const;

/** The schemas of the fields of records, by their model. */
export const PAPERLESS_MODELS = { ...documents, ...customFields, ...accounts, ...views, ...mail, ...workflows } as const;

export type PaperlessModel = keyof typeof PAPERLESS_MODELS;
export type PaperlessFields<Model extends PaperlessModel> = z.infer<(typeof PAPERLESS_MODELS)[Model]>;
