import type { SettableField } from '@sheaf/documents/custom-fields';
import { DELETED_HERE, type ImportReport } from '@sheaf/imports/shared';
import type { ImportedFiling } from '@sheaf/ingest';
import { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import { extensionOf, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { MAX_ARCHIVE_NUMBER } from '@sheaf/vocabulary/limits';
import type { ImportedPaths } from './fields.ts';
import type { DocumentFields } from './records.ts';
import type { ImportedUser } from './users.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

const isDay = (text: string): boolean =>
  DAY.test(text) && text >= '1000-01-01' && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Whether a clock may show midnight then, in one of the time zones: they differ by quarters of an hour. */
const mayBeMidnight = (at: Date): boolean => at.getTime() % (15 * 60_000) === 0;

/**
 * The day of a document; undefined where there is none. Versions before 2.16 write a time in UTC, most often that of a midnight in a
 * time zone that is not told: the nearest midnight is that one.
 */
const toDocumentDay = (created: string): string | undefined => {
  if (DAY.test(created)) return isDay(created) ? created : undefined;
  const at = new Date(created);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(created) || Number.isNaN(at.getTime())) return undefined;
  const day = new Date(mayBeMidnight(at) ? Math.round(at.getTime() / DAY_MS) * DAY_MS : at).toJSON().slice(0, 10);
  return isDay(day) ? day : undefined;
};

const MAX_PAGES = 10_000;

/** What the entries that documents name became here. */
export interface DocumentTables {
  readonly users: ReadonlyMap<string, ImportedUser>;
  /** Who gets documents without an owner. */
  readonly defaultOwnerId: string;
  readonly labels: TakenEntries;
  readonly correspondents: TakenEntries;
  readonly documentTypes: TakenEntries;
  readonly paths: ImportedPaths;
}

/** What a document becomes, beside its file. */
export interface DocumentPlan {
  readonly ownerId: string;
  readonly filing: ImportedFiling;
  readonly labelIds: readonly string[];
  readonly path: { readonly field: SettableField; readonly name: string } | undefined;
  readonly text: { readonly pages: readonly string[]; readonly pageCount: number | null } | undefined;
}

/** Tells what of one document is left out. */
export type Leave = (kind: string, name: string, reason: string) => void;

export const leaveOf =
  (report: ImportReport, document: string): Leave =>
  (kind, name, reason) =>
    report.leave(kind, name, reason, document);

/** What entries of one kind became here, and what the export says of them. */
export interface TakenEntries {
  readonly ids: ReadonlyMap<string, string>;
  readonly given: ReadonlyMap<string, { readonly name: string }>;
}

/** What `id` became; what is not there is left out, and reported. */
const lookUp = ({ ids, given }: TakenEntries, id: string | undefined, kind: string, leave: Leave): string | undefined => {
  if (id === undefined) return undefined;
  const found = ids.get(id);
  if (found !== undefined) return found;
  const name = given.get(id)?.name;
  if (name === undefined) leave(kind, id, `There is no ${kind} with the ID ${id}`);
  else leave(kind, name, name.trim() === '' ? 'It has no name' : DELETED_HERE);
  return undefined;
};

const archiveNumberOf = ({ archive_serial_number: number }: DocumentFields, leave: Leave): number | undefined => {
  if (number === undefined || (Number.isInteger(number) && number > 0 && number <= MAX_ARCHIVE_NUMBER)) return number;
  leave('archive number', String(number), `Archive numbers are from 1 to ${MAX_ARCHIVE_NUMBER}`);
  return undefined;
};

const dayOf = ({ created }: DocumentFields, leave: Leave): string | undefined => {
  const day = toDocumentDay(created);
  if (day === undefined && created !== '') leave('document date', created, 'It is no day from the year 1000 on');
  return day;
};

/** Page by page; undefined where there is no text, so that it is read here. */
export const textOf = ({ content, page_count: pageCount }: DocumentFields): DocumentPlan['text'] => {
  if (content.trim() === '') return undefined;
  const whole = content.endsWith('\f') ? content.slice(0, -1) : content;
  const pages = whole.split('\f', MAX_PAGES + 1);
  return { pages: pages.length > MAX_PAGES ? [whole] : pages, pageCount: pageCount ?? null };
};

const pathOf = ({ storage_path: id }: DocumentFields, { field, names }: ImportedPaths, leave: Leave): DocumentPlan['path'] => {
  const name = id === undefined ? undefined : names.get(id);
  if (id !== undefined && name === undefined) leave('storage path', id, `There is no storage path with the ID ${id}`);
  return name === undefined || field === undefined ? undefined : { field, name };
};

const ownerOf = ({ owner }: DocumentFields, { users, defaultOwnerId }: DocumentTables, leave: Leave): string => {
  const user = owner === undefined ? undefined : users.get(owner);
  if (owner !== undefined && user === undefined)
    leave('owner', owner, 'The owner is not there; the document belongs to the owner of the import');
  return user?.id ?? defaultOwnerId;
};

/** What becomes of a document; tells what is left out of it. */
export const planDocument = (fields: DocumentFields, tables: DocumentTables, leave: Leave): DocumentPlan => {
  const correspondentId = lookUp(tables.correspondents, fields.correspondent, 'correspondent', leave);
  const documentTypeId = lookUp(tables.documentTypes, fields.document_type, 'document type', leave);
  const documentDate = dayOf(fields, leave);
  const path = pathOf(fields, tables.paths, leave);
  return {
    ownerId: ownerOf(fields, tables, leave),
    filing: {
      documentDate,
      archiveNumber: archiveNumberOf(fields, leave),
      correspondentId,
      documentTypeId,
      confirmedFields: [
        ...(documentDate === undefined ? [] : ['document_date']),
        ...(correspondentId === undefined ? [] : ['correspondent']),
        ...(documentTypeId === undefined ? [] : ['document_type']),
        ...(path === undefined ? [] : [confirmedNameOf(path.field.id)]),
      ],
    },
    labelIds: fields.tags.flatMap((tag) => lookUp(tables.labels, tag, 'label', leave) ?? []),
    path,
    text: textOf(fields),
  };
};

/** The name of a file: the one that it had when it came there, with an extension that says what it is. */
export const filenameOf = ({ original_filename: original }: DocumentFields, exported: string): string => {
  const base = exported.split('/').at(-1) ?? exported;
  if (original === '') return base;
  const extension = extensionOf(base);
  return findKindByExtension(extensionOf(original)) === undefined && findKindByExtension(extension) !== undefined
    ? `${original}.${extension}`
    : original;
};
