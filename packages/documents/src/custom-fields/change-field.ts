import { type AppError, codedError, type Issue, invalidInput, makeIssue, permissionNeeded, reasonedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  documentsFor,
  isNotTrashed,
  makeKeyset,
  ownedBy,
  type Page,
  type PageRequest,
  queryCut,
  queryPage,
} from '@sheaf/db';
import { and, count, eq, inArray, ne, type SQL, sql } from '@sheaf/db/drizzle';
import { type CustomFieldRow, customFields, documentFields, documentTypes } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type FieldType, MAX_FIELDS } from '@sheaf/vocabulary/custom-fields';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { CustomFieldSortField } from '@sheaf/vocabulary/sort-fields';
import { EVENT_JSON, hasValue } from './value-sql.ts';

/** The field, locked until the end of the transaction, so that nobody gives a document a value of it. Throws FIELD_NOT_FOUND. */
export const lockField = async (tx: Db, id: string): Promise<CustomFieldRow> => {
  const [row] = await tx.select().from(customFields).where(eq(customFields.id, id)).for('update');
  if (row === undefined) throw fieldNotFound(id);
  return row;
};

/** How many documents have the field, or of these those that are meant. */
const countDocuments = async (tx: Db, fieldId: string, isMeant?: SQL): Promise<number> => {
  const [row] = await tx
    .select({ total: count() })
    .from(documentFields)
    .where(and(eq(documentFields.fieldId, fieldId), isMeant, isNotTrashed(documentFields.documentId)));
  return row?.total ?? 0;
};

const has = (choices: readonly string[]): SQL => inArray(documentFields.textValue, [...choices]);

/** How many documents lose something: their number, so that nobody removes more than they know of, or all of them, however many there are. */
export type Confirmation = number | 'all' | undefined;

const isConfirmed = (confirm: Confirmation, documents: number): boolean => confirm === 'all' || (confirm ?? 0) === documents;

/** Takes choices away with the values that have them: the field remains on the documents, without a value. Throws FIELD_CHOICE_IN_USE where `confirm` is not the number of these. */
const removeChoices = async (tx: Db, field: CustomFieldRow, gone: readonly string[], confirm: Confirmation): Promise<void> => {
  if (gone.length === 0) return;
  const documentCount = await countDocuments(tx, field.id, has(gone));
  if (!isConfirmed(confirm, documentCount))
    throw codedError('DUPLICATE_RESOURCE', 'FIELD_CHOICE_IN_USE', { choices: gone, document_count: documentCount });
  await emitFieldEvents(tx, field.id, sql`jsonb_build_object(custom_fields.name, null)`, { isMeant: has(gone), becomes: 'empty' });
  await tx
    .update(documentFields)
    .set({ textValue: null })
    .where(and(eq(documentFields.fieldId, field.id), has(gone)));
};

/** Values keep their choice where it is only spelled otherwise. */
const respellChoices = async (tx: Db, field: CustomFieldRow, spellings: ReadonlyMap<string, string>): Promise<void> => {
  for (const [before, after] of spellings) {
    await tx
      .update(documentFields)
      .set({ textValue: after })
      .where(and(eq(documentFields.fieldId, field.id), eq(documentFields.textValue, before)));
    await emitFieldEvents(tx, field.id, sql`jsonb_build_object(custom_fields.name, ${EVENT_JSON})`, { isMeant: has([after]) });
  }
};

const changeChoices = async (
  tx: Db,
  field: CustomFieldRow,
  choices: readonly string[],
  { confirm, renamedChoices }: FieldChange,
): Promise<void> => {
  const spelling = new Map(choices.map((choice) => [choice.toLowerCase(), choice]));
  const otherwise = field.choices
    .filter((choice) => !choices.includes(choice))
    .map((choice) => [choice, renamedChoices?.get(choice) ?? spelling.get(choice.toLowerCase())] as const);
  await removeChoices(
    tx,
    field,
    otherwise.flatMap(([choice, now]) => (now === undefined ? [choice] : [])),
    confirm,
  );
  await respellChoices(tx, field, new Map(otherwise.flatMap(([choice, now]) => (now === undefined ? [] : [[choice, now]]))));
};

export interface FieldChange extends Partial<FieldDefinition> {
  /** How many documents lose their value because their choice is removed. */
  readonly confirm?: Confirmation;
  /** What choices are called from now on, by what they were called. */
  readonly renamedChoices?: ReadonlyMap<string, string> | undefined;
}

/** What the field is after the change: of another type than a choice there is nothing to choose from, and only amounts have a currency. */
const changed = (field: CustomFieldRow, { confirm: _confirm, renamedChoices: _renamed, ...change }: FieldChange): FieldDefinition => {
  const { name, type, choices, defaultCurrency, documentTypeId } = { ...field, ...change };
  return {
    name,
    type,
    documentTypeId,
    choices: type === 'choice' ? choices : (change.choices ?? []),
    defaultCurrency: type === 'amount' ? defaultCurrency : (change.defaultCurrency ?? null),
  };
};

/**
 * Changes a field, and its values with it; answers what it was before. Throws FIELD_NOT_FOUND, DUPLICATE_RESOURCE where the name is in use,
 * FIELD_HAS_VALUES where the type cannot be changed, FIELD_CHOICE_IN_USE, VALIDATION_ERROR where the parts do not fit, and as `requireMatch` does
 * once the field is locked.
 */
export const updateField = async (
  tx: Db,
  principal: Principal,
  id: string,
  change: FieldChange,
  requireMatch: (tx: Db) => Promise<void> = async () => {},
): Promise<CustomFieldRow> => {
  await lockDocumentsOfFields(tx, [id]);
  if (change.name !== undefined) await requireFreeName(tx, change.name, id);
  const before = await lockField(tx, id);
  await requireMatch(tx);
  const after = changed(before, change);
  await requireDefinition(tx, principal, after, before);
  if (after.type !== before.type) {
    const documentCount = await countDocuments(tx, id, hasValue());
    if (documentCount > 0) throw codedError('DUPLICATE_RESOURCE', 'FIELD_HAS_VALUES', { document_count: documentCount });
  } else await changeChoices(tx, before, after.choices, change);
  await tx
    .update(customFields)
    .set({ ...after, choices: [...after.choices] })
    .where(eq(customFields.id, id));
  if (after.name !== before.name)
    await emitFieldEvents(tx, id, sql`jsonb_build_object(${before.name}::text, null, custom_fields.name, ${EVENT_JSON})`);
  return before;
};

/**
 * Deletes a field with its values; answers what it was. Throws FIELD_NOT_FOUND, and FIELD_IN_USE where `confirm` is not the number of documents that
 * have it, with or without a value.
 */
export const deleteField = async (tx: Db, id: string, confirm: Confirmation): Promise<CustomFieldRow & { readonly documents: number }> => {
  await lockDocumentsOfFields(tx, [id]);
  const field = await lockField(tx, id);
  const documents = await countDocuments(tx, id);
  if (!isConfirmed(confirm, documents)) throw codedError('DUPLICATE_RESOURCE', 'FIELD_IN_USE', { document_count: documents });
  await emitFieldEvents(tx, id, sql`jsonb_build_object(custom_fields.name, null)`, { becomes: 'removed' });
  await tx.delete(customFields).where(eq(customFields.id, id));
  return { ...field, documents };
};

const NOT_EMPTY = sql`'{}'::jsonb`;
const EMPTY = sql`jsonb_build_object('empty_fields', jsonb_build_array(custom_fields.name))`;

/** What `changes` of an event has beside `fields`: that the field is on the document without a value. */
const EMPTY_FIELDS = {
  'as it is': sql`case when ${hasValue()} then ${NOT_EMPTY} else ${EMPTY} end`,
  empty: EMPTY,
  removed: NOT_EMPTY,
} as const;

interface FieldEvents {
  /** Of the documents with the field, which ones; all of them where it is missing. */
  readonly isMeant?: SQL;
  /** What the field is after the change, where that is made after the event. */
  readonly becomes?: keyof typeof EMPTY_FIELDS;
}

/**
 * Records a `document_updated` for each document with the field that `isMeant`, with `fields` as its changes: an object that is made
 * from the rows of `document_fields` and `custom_fields`. One statement: a field may be on most documents. Answers how many there are.
 */
export const emitFieldEvents = async (
  tx: Db,
  fieldId: string,
  fields: SQL,
  { isMeant = sql`true`, becomes = 'as it is' }: FieldEvents = {},
): Promise<number> => {
  const changes = sql`jsonb_build_object('fields', ${fields}) || ${EMPTY_FIELDS[becomes]}`;
  const { rowCount } = await tx.execute(sql`
    insert into events (type, owner_id, document_id, data)
    select 'document_updated', documents.owner_id, documents.id,
      jsonb_build_object('document_id', documents.id, 'changes', ${changes})
    from document_fields join custom_fields on custom_fields.id = document_fields.field_id
      join documents on documents.id = document_fields.document_id
    where document_fields.field_id = ${fieldId}::uuid and ${isMeant}
    order by documents.id`);
  if ((rowCount ?? 0) > 0) await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')`);
  return rowCount ?? 0;
};

/**
 * Locks the documents with one of the fields, in the order in which everyone locks several. Who changes many values begins with it:
 * documents go before fields.
 */
export const lockDocumentsOfFields = async (tx: Db, fieldIds: readonly string[]): Promise<void> => {
  await tx.execute(sql`
    select from documents where id in (select document_id from document_fields where field_id = any(${sql.param([...fieldIds])}::uuid[]))
    order by id for no key update`);
};

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

const fieldNotFound = (id: string): AppError => codedError('NOT_FOUND', 'FIELD_NOT_FOUND', { field_id: id });

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

interface FieldListRequest extends PageRequest {
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

/** What a custom field is called, and what its values can be. */
interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  /** Of a choice: what can be chosen, in the order in which it is offered. */
  readonly choices: readonly string[];
  /** Of amounts: the currency that is offered first; null: none. */
  readonly defaultCurrency: string | null;
  /** Offered for documents of this type only; null: for all. */
  readonly documentTypeId: string | null;
}

const NAMES_LOCK = 0x66_6c_64;

/** Throws DUPLICATE_RESOURCE where another field than `except` has the name. Nobody else takes a name until the end of the transaction. */
const requireFreeName = async (tx: Db, name: string, except?: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${NAMES_LOCK})`);
  const [row] = await tx
    .select({ id: customFields.id })
    .from(customFields)
    .where(and(sql`lower(${customFields.name}) = lower(${name})`, except === undefined ? undefined : ne(customFields.id, except)));
  if (row !== undefined) throw reasonedError('DUPLICATE_RESOURCE', 'field_exists', { name, field_id: row.id });
};

const choiceIssue = ({ type, choices }: FieldDefinition): Issue | undefined => {
  if (type === 'choice') return choices.length === 0 ? makeIssue('choices', 'too_few', { minimum: 1 }) : undefined;
  return choices.length === 0 ? undefined : makeIssue('choices', 'not_for_field_type', { type });
};

const currencyIssue = ({ type, defaultCurrency }: FieldDefinition): Issue | undefined =>
  type === 'amount' || defaultCurrency === null ? undefined : makeIssue('default_currency', 'not_for_field_type', { type });

const isDocumentType = async (tx: Db, { permissions, userId }: Principal, id: string): Promise<boolean> => {
  const isReadable = ownedBy(scopeOf(permissions, 'labels.read'), userId, documentTypes.createdBy);
  const rows = await tx
    .select({ id: documentTypes.id })
    .from(documentTypes)
    .where(and(eq(documentTypes.id, id), isReadable))
    .for('key share');
  return rows.length > 0;
};

/** Throws VALIDATION_ERROR where the parts of a definition do not fit each other, or name a document type that the caller cannot see. */
const requireDefinition = async (tx: Db, principal: Principal, definition: FieldDefinition, before?: FieldDefinition): Promise<void> => {
  const issues = [choiceIssue(definition), currencyIssue(definition)].filter((issue) => issue !== undefined);
  const { documentTypeId } = definition;
  if (documentTypeId !== null && documentTypeId !== before?.documentTypeId && !(await isDocumentType(tx, principal, documentTypeId)))
    issues.push(makeIssue('document_type_id', 'no_such_document_type'));
  if (issues.length > 0) throw invalidInput('body', issues);
};
