import type { Db } from '@sheaf/db';
import { findSelected, type LabelledDocument } from '@sheaf/documents';
import { listFieldValues } from '@sheaf/documents/custom-fields';
import {
  type FieldKind,
  type ListedNote,
  labelsOfDocuments,
  linkedId,
  type NumberOf,
  notesOfDocuments,
  numbersOf,
  type PaperlessObject,
  readFieldKinds,
  toPaperlessFields,
  toPaperlessValue,
} from '@sheaf/paperless';
import type { Principal } from '@sheaf/vocabulary/permissions';
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

/** How documents are to be shown. */
export interface Shown {
  /** With the permissions that Paperless has instead of what the caller may. */
  readonly fullPerms: boolean;
  /** Only these fields. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** The texts of documents; of those that are missing the beginning is shown. */
  readonly texts?: ReadonlyMap<string, string> | undefined;
}

interface Value {
  readonly field: FieldKind;
  readonly value: Parameters<typeof toPaperlessValue>[1];
}

interface Parts {
  readonly labelIds: readonly string[];
  readonly notes: readonly ListedNote[];
  readonly values: readonly Value[];
  readonly mayChange: boolean;
}

export const toPaperlessNote = (note: ListedNote, numberOf: NumberOf): PaperlessNote => ({
  id: numberOf('note', note.id),
  note: note.text,
  created: note.createdAt.toISOString(),
  document: numberOf('document', note.documentId),
  user:
    note.author === null ? null : { id: numberOf('user', note.author.id), username: note.author.username, first_name: '', last_name: '' },
});

/** All that a note has a number for. */
export const objectsOfNote = ({ id, documentId, author }: ListedNote): PaperlessObject[] => [
  { kind: 'note', id },
  { kind: 'document', id: documentId },
  ...(author === null ? [] : [{ kind: 'user' as const, id: author.id }]),
];

const objectsOf = (document: LabelledDocument, { labelIds, notes, values }: Parts): PaperlessObject[] => [
  { kind: 'document', id: document.id },
  { kind: 'user', id: document.ownerId },
  ...(document.correspondentId === null ? [] : [{ kind: 'correspondent' as const, id: document.correspondentId }]),
  ...(document.documentTypeId === null ? [] : [{ kind: 'document_type' as const, id: document.documentTypeId }]),
  ...labelIds.map((id) => ({ kind: 'tag' as const, id })),
  ...notes.flatMap(objectsOfNote),
  ...values.flatMap(({ field, value }) => [
    { kind: 'custom_field' as const, id: field.id },
    ...(field.type === 'document' && value !== null ? [{ kind: 'document' as const, id: linkedId(value) }] : []),
  ]),
];

const toBody = (
  document: LabelledDocument,
  { labelIds, notes, values, mayChange }: Parts,
  numberOf: NumberOf,
): z.infer<typeof paperlessDocument> => ({
  id: numberOf('document', document.id),
  correspondent: document.correspondentId === null ? null : numberOf('correspondent', document.correspondentId),
  document_type: document.documentTypeId === null ? null : numberOf('document_type', document.documentTypeId),
  storage_path: null,
  ...toPaperlessFields(document),
  content: document.contentExcerpt,
  tags: labelIds.map((id) => numberOf('tag', id)),
  deleted_at: null,
  archived_file_name: null,
  owner: numberOf('user', document.ownerId),
  user_can_change: mayChange,
  is_shared_by_requester: false,
  notes: notes.map((note) => toPaperlessNote(note, numberOf)),
  custom_fields: values.map(({ field, value }) => ({
    field: numberOf('custom_field', field.id),
    value: toPaperlessValue(field, value, numberOf),
  })),
});

const asShown = (body: PaperlessDocument, content: string | undefined, { fullPerms, fields }: Shown): PaperlessDocument => {
  const { user_can_change: mayChange, is_shared_by_requester: isShared, ...others } = body;
  const whole: PaperlessDocument = {
    ...others,
    ...(content === undefined ? {} : { content }),
    // nobody is named in permissions, so that only this says who may change documents of others
    user_can_change: mayChange,
    ...(fullPerms ? { permissions: NO_PERMISSIONS } : { is_shared_by_requester: isShared }),
  };
  return fields === undefined ? whole : Object.fromEntries(Object.entries(whole).filter(([name]) => fields.has(name)));
};

/** What stands in other tables is read once for all documents, and so are the numbers. */
const readParts = async (db: Db, principal: Principal, documents: readonly LabelledDocument[]): Promise<(id: string) => Parts> => {
  const ids = documents.map(({ id }) => id);
  const [labelIds, notes, valuesOf, fields, changeable] = await Promise.all([
    labelsOfDocuments(db, ids),
    notesOfDocuments(
      db,
      documents.flatMap(({ id, notesCount }) => (notesCount > 0 ? [id] : [])),
    ),
    listFieldValues(db, principal, ids),
    readFieldKinds(db),
    findSelected(db, principal, 'documents.update', { ids }, ids.length),
  ]);
  const allowed = new Set(changeable.filter(({ isAllowed }) => isAllowed).map(({ id }) => id));
  const fieldNamed = new Map(fields.map((field) => [field.name, field]));
  return (id) => ({
    labelIds: labelIds.get(id) ?? [],
    notes: notes.get(id) ?? [],
    mayChange: allowed.has(id),
    values: valuesOf(id).flatMap(({ name, value }) => {
      const field = fieldNamed.get(name);
      return field === undefined ? [] : [{ field, value }];
    }),
  });
};

/** The documents in the form of Paperless. Whoever calls it has found that the caller may read them. */
export const presentDocuments = async (
  db: Db,
  principal: Principal,
  documents: readonly LabelledDocument[],
  shown: Shown,
): Promise<PaperlessDocument[]> => {
  if (documents.length === 0) return [];
  const partsOf = await readParts(db, principal, documents);
  const numberOf = await numbersOf(
    db,
    documents.flatMap((document) => objectsOf(document, partsOf(document.id))),
  );
  return documents.map((document) => asShown(toBody(document, partsOf(document.id), numberOf), shown.texts?.get(document.id), shown));
};
