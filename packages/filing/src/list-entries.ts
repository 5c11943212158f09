import { type AppError, codedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  correspondentsFor,
  type Db,
  documentsFor,
  documentTypesFor,
  makeKeyset,
  type Page,
  type PageRequest,
  queryCut,
} from '@sheaf/db';
import { type PgColumn, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, documentFacts, documents, documentTypes, trashedDocuments } from '@sheaf/db/schema';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import type { FilingSortField } from '@sheaf/vocabulary/sort-fields';

/** A correspondent or a document type as people see it, with its lists of texts. */
export interface FilingEntry<D extends string> {
  readonly id: string;
  readonly name: string;
  readonly details: Readonly<Record<D, readonly string[]>>;
  /** Of the documents that the caller may read. */
  readonly documents: number;
  /** The name of the user; null when they are gone. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

interface EntryRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly documents: number;
  readonly username: string | null;
  readonly created_at: string;
}

const namesOf = <D extends string>({ details }: FilingKind<D>): D[] => Object.keys(details) as D[];

/** PostgreSQL counts the rows that it answers, or all where they are sorted by that. */
const selectEntries = <D extends string>(kind: FilingKind<D>, principal: Principal): SQL => {
  const { table, details, reference } = kind;
  const lists = namesOf(kind).map((name) => sql`${details[name]} as ${sql.identifier(name)},`);
  return sql`
    select ${table.id}, ${table.name}, ${table.nameKey}, ${sql.join(lists)} ${table.createdAt}, users.username,
      (select count(*)::int from documents where ${reference} = ${table.id} and ${documentsFor(principal, 'documents.read')}) as documents
    from ${table} left join users on users.id = ${table.createdBy}`;
};

const toEntry =
  <D extends string>(kind: FilingKind<D>) =>
  (row: EntryRow): FilingEntry<D> => ({
    id: row.id,
    name: row.name,
    details: Object.fromEntries(namesOf(kind).map((name) => [name, row[name]])) as Record<D, string[]>,
    documents: row.documents,
    createdBy: row.username,
    createdAt: new Date(row.created_at),
  });

/** The entry, if `principal` may read it. Throws what is thrown of one that is not there otherwise. */
export const getEntry = async <D extends string>(
  db: Db,
  kind: FilingKind<D>,
  principal: Principal,
  id: string,
): Promise<FilingEntry<D>> => {
  const { rows } = await db.execute<EntryRow>(
    sql`${selectEntries(kind, principal)} where ${kind.table.id} = ${id} and ${kind.allowedFor(principal, 'labels.read')}`,
  );
  if (rows[0] === undefined) throw kind.notFound(id);
  return toEntry(kind)(rows[0]);
};

interface EntryFilter {
  readonly sort: FilingSortField;
  readonly order: 'asc' | 'desc';
  /** In the name, the case of letters aside. */
  readonly q?: string | undefined;
}

export interface EntryListRequest extends EntryFilter, PageRequest {}

const readable = ({ table, allowedFor }: FilingKind, principal: Principal, q: string | undefined): SQL => sql`
  ${allowedFor(principal, 'labels.read')}
  ${q === undefined ? sql`` : sql`and position(lower(${q}) in lower(${table.name})) > 0`}`;

/** Of the entries as they are listed. */
const SORT_KEYS = {
  name: { by: sql`name_key`, type: 'text' },
  document_count: { by: sql`documents`, type: 'integer' },
  created_at: { by: sql`created_at`, type: 'timestamptz' },
  id: { by: sql`id`, type: 'uuid' },
  created_by: { by: sql`username`, type: 'text', mayBeMissing: true },
} as const satisfies Record<FilingSortField, unknown>;

/** One page of the entries that `principal` may read, and how many there are. */
export const listEntries = async <D extends string>(
  db: Db,
  kind: FilingKind<D>,
  principal: Principal,
  { page, perPage, sort, order, q }: EntryListRequest,
): Promise<Page<FilingEntry<D>>> => {
  const where = readable(kind, principal, q);
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const [found, counted] = await Promise.all([
    db.execute<EntryRow>(sql`select * from (${selectEntries(kind, principal)} where ${where}) as entries
      order by ${SORT_KEYS[sort].by} ${direction}, name_key, id limit ${perPage} offset ${(page - 1) * perPage}`),
    db.execute<{ total: number }>(sql`select count(*)::int as total from ${kind.table} where ${where}`),
  ]);
  return { rows: found.rows.map(toEntry(kind)), total: counted.rows[0]?.total ?? 0 };
};

/** The entries that `principal` may read behind `after`, at most `limit`. */
export const listEntriesAfter = <D extends string>(
  db: Db,
  kind: FilingKind<D>,
  principal: Principal,
  { sort, order, q, after, limit }: EntryFilter & CutRequest,
): Promise<Cut<FilingEntry<D>>> => {
  const keyset = makeKeyset(order, [SORT_KEYS[sort], { by: sql`id`, type: 'uuid' }]);
  const entries = sql`(${selectEntries(kind, principal)} where ${readable(kind, principal, q)}) as entries`;
  const select = (more: SQL = sql``) => sql`select entries.* ${more} from ${entries}`;
  return queryCut(db, { select, where: sql`true`, toRow: toEntry(kind) }, { keyset, after, limit });
};

/** Lists of texts that a correspondent has beside its name. */
export type CorrespondentDetail = 'aliases' | 'ibans' | 'vatIds' | 'domains';

/** What documents can be filed by: the correspondents, or the document types. `D` are the lists of texts that each entry has. */
export interface FilingKind<D extends string = string> {
  readonly table: typeof correspondents | typeof documentTypes;
  readonly details: Readonly<Record<D, PgColumn>>;
  /** Where another entry that is merged into one leaves its name. */
  readonly formerNames: D | undefined;
  /** In the row of a document. */
  readonly reference: PgColumn;
  /** In rows of other tables, which belong to the entry that it is merged into as well. */
  readonly mentions: readonly PgColumn[];
  /** In the body of a document, and in its events. */
  readonly field: 'correspondent' | 'document_type';
  readonly exists: 'correspondent_exists' | 'document_type_exists';
  readonly unknown: 'unknown_correspondent' | 'unknown_document_type';
  readonly notFound: (id: string) => AppError;
  /** Those on which `principal` may do `action`. */
  readonly allowedFor: (principal: Principal, action: Action) => SQL;
  /** First key of advisory locks on names. */
  readonly namesLock: number;
}

export const CORRESPONDENTS: FilingKind<CorrespondentDetail> = {
  table: correspondents,
  details: {
    aliases: correspondents.aliases,
    ibans: correspondents.ibans,
    vatIds: correspondents.vatIds,
    domains: correspondents.domains,
  },
  formerNames: 'aliases',
  reference: documents.correspondentId,
  mentions: [documentFacts.correspondentId, trashedDocuments.correspondentId],
  field: 'correspondent',
  exists: 'correspondent_exists',
  unknown: 'unknown_correspondent',
  notFound: (id) => codedError('NOT_FOUND', 'CORRESPONDENT_NOT_FOUND', { correspondent_id: id }),
  allowedFor: correspondentsFor,
  namesLock: 0x63_6f_72,
};

export const DOCUMENT_TYPES: FilingKind<never> = {
  table: documentTypes,
  details: {},
  formerNames: undefined,
  reference: documents.documentTypeId,
  mentions: [trashedDocuments.documentTypeId],
  field: 'document_type',
  exists: 'document_type_exists',
  unknown: 'unknown_document_type',
  notFound: (id) => codedError('NOT_FOUND', 'DOCUMENT_TYPE_NOT_FOUND', { document_type_id: id }),
  allowedFor: documentTypesFor,
  namesLock: 0x64_74_70,
};
