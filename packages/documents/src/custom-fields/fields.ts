import { type AppError, codedError, permissionNeeded, reasonedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, documentsFor, makeKeyset, type Page, type PageRequest, queryCut, queryPage } from '@sheaf/db';
import { count, type SQL, sql } from '@sheaf/db/drizzle';
import { customFields } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type FieldType, MAX_FIELDS } from '@sheaf/vocabulary/custom-fields';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { CustomFieldSortField } from '@sheaf/vocabulary/sort-fields';
import { type FieldDefinition, requireDefinition, requireFreeName } from './definition.ts';
import { hasValue } from './value-sql.ts';

/** A custom field as people see it. */
export interface CustomField extends FieldDefinition {
  readonly id: string;
  /** Of the documents that the caller may read, those with the field. */
  readonly documents: number;
  /** Of these, those without a value. */
  readonly emptyDocuments: number;
  /** The name of the user; null when the account is gone. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

interface FieldRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly type: FieldType;
  readonly choices: string[];
  readonly default_currency: string | null;
  readonly document_type_id: string | null;
  readonly documents: number;
  readonly empty_documents: number;
  readonly username: string | null;
  readonly created_at: string;
}

const selectFields = (principal: Principal): SQL => sql`
  select custom_fields.id, custom_fields.name, custom_fields.name_key, type, choices, default_currency, document_type_id, username, custom_fields.created_at,
    counted.documents, counted.empty_documents
  from custom_fields left join users on users.id = custom_fields.created_by
    cross join lateral (
      select count(*)::int as documents, (count(*) filter (where not ${hasValue()}))::int as empty_documents
      from document_fields join documents on documents.id = document_fields.document_id
      where document_fields.field_id = custom_fields.id and ${documentsFor(principal, 'documents.read')}) as counted`;

const toField = (row: FieldRow): CustomField => ({
  id: row.id,
  name: row.name,
  type: row.type,
  choices: row.choices,
  defaultCurrency: row.default_currency,
  documentTypeId: row.document_type_id,
  documents: row.documents,
  emptyDocuments: row.empty_documents,
  createdBy: row.username,
  createdAt: new Date(row.created_at),
});

export const fieldNotFound = (id: string): AppError => codedError('NOT_FOUND', 'FIELD_NOT_FOUND', { field_id: id });

/** Throws FORBIDDEN where `principal` may not define the fields of the instance: they are nobody's own. */
export const requireFieldPermission = (principal: Principal): void => {
  if (scopeOf(principal.permissions, 'settings.update') !== 'all') throw permissionNeeded('settings.update');
};

/** The field. Throws FIELD_NOT_FOUND. */
export const getField = async (db: Db, principal: Principal, id: string): Promise<CustomField> => {
  const { rows } = await db.execute<FieldRow>(sql`${selectFields(principal)} where custom_fields.id = ${id}`);
  if (rows[0] === undefined) throw fieldNotFound(id);
  return toField(rows[0]);
};

export interface FieldListRequest extends PageRequest {
  readonly sort: CustomFieldSortField;
  readonly order: 'asc' | 'desc';
  /** In the name, the case of letters aside. */
  readonly q?: string | undefined;
}

const named = (q: string | undefined): SQL => (q === undefined ? sql`true` : sql`position(lower(${q}) in lower(custom_fields.name)) > 0`);

/** As keys of a position, of the fields as they are listed. */
const SORT_KEYS = {
  name: { by: sql`fields.name_key`, type: 'text' },
  document_count: { by: sql`fields.documents`, type: 'integer' },
  empty_count: { by: sql`fields.empty_documents`, type: 'integer' },
  created_at: { by: sql`fields.created_at`, type: 'timestamptz' },
  id: { by: sql`fields.id`, type: 'uuid' },
  type: { by: sql`fields.type`, type: 'text' },
  document_type_id: { by: sql`fields.document_type_id`, type: 'uuid', mayBeMissing: true },
  created_by: { by: sql`fields.username`, type: 'text', mayBeMissing: true },
  default_currency: { by: sql`fields.default_currency`, type: 'text', mayBeMissing: true },
} as const satisfies Record<CustomFieldSortField, unknown>;

const selectionOf = (principal: Principal, q: string | undefined) => ({
  select: (more: SQL = sql``) => sql`select fields.* ${more} from (${selectFields(principal)} where ${named(q)}) as fields`,
  where: sql`true`,
  toRow: toField,
});

/** One page of the fields, and how many there are. */
export const listFields = (db: Db, principal: Principal, { page, perPage, sort, order, q }: FieldListRequest): Promise<Page<CustomField>> =>
  queryPage(db, selectionOf(principal, q), {
    from: sql`(select from custom_fields where ${named(q)}) as fields`,
    order: sql`${makeKeyset(order, [SORT_KEYS[sort]]).order}, fields.name_key, fields.id`,
    page,
    perPage,
  });

/** The fields behind `after`, at most `limit`. */
export const listFieldsAfter = (
  db: Db,
  principal: Principal,
  { sort, order, q, after, limit }: Pick<FieldListRequest, 'sort' | 'order' | 'q'> & CutRequest,
): Promise<Cut<CustomField>> => {
  const keyset = makeKeyset(order, [SORT_KEYS[sort], { by: sql`fields.id`, type: 'uuid' }]);
  return queryCut(db, selectionOf(principal, q), { keyset, after, limit });
};

/** Makes a field. Throws DUPLICATE_RESOURCE where the name is in use, VALIDATION_ERROR where the parts do not fit. */
export const createField = async (tx: Db, principal: Principal, definition: FieldDefinition): Promise<CustomField> => {
  await requireFreeName(tx, definition.name);
  await requireDefinition(tx, principal, definition);
  const [counted] = await tx.select({ total: count() }).from(customFields);
  if ((counted?.total ?? 0) >= MAX_FIELDS) throw reasonedError('VALIDATION_ERROR', 'too_many_fields', { limit: MAX_FIELDS });
  const { name, type, choices, defaultCurrency, documentTypeId } = definition;
  const id = uuidv7();
  await tx
    .insert(customFields)
    .values({ id, name, type, choices: [...choices], defaultCurrency, documentTypeId, createdBy: principal.userId });
  return getField(tx, principal, id);
};
