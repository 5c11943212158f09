import { type AppError, codedError, permissionNeeded, reasonedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  labelsFor,
  makeKeyset,
  ownedBy,
  type Page,
  type PageRequest,
  queryCut,
  queryPage,
} from '@sheaf/db';
import { and, eq, inArray, ne, or, type SQL, sql } from '@sheaf/db/drizzle';
import { labels } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { LabelSortField } from '@sheaf/vocabulary/sort-fields';
import { tallied } from '../index.ts';

/** A label as people see it. */
export interface CountedLabel {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly description: string;
  /** The label above it; null where there is none that the caller may read. */
  readonly parentId: string | null;
  /** The names of the labels above it that the caller may read, from the topmost one, and its own. */
  readonly path: readonly string[];
  /** Of the documents that the caller may read. */
  readonly documents: number;
  /** The name of the user; null when they are gone. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

interface LabelRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly description: string;
  readonly parent_id: string | null;
  readonly path: readonly string[];
  readonly documents: number;
  readonly username: string | null;
  readonly created_at: string;
}

/** The names down to a label, as far up as they may be read without a gap. */
const pathTo = (isReadable: SQL): SQL => sql`array(
  with recursive up as (
    select labels.name, labels.parent_id, 0 as height
    union all select above.name, above.parent_id, up.height + 1
      from labels as above join up on above.id = up.parent_id where up.height < ${MAX_LABEL_LEVELS} and ${isReadable})
  select name from up order by height desc)`;

const selectLabels = (principal: Principal): SQL => {
  const isReadable = ownedBy(scopeOf(principal.permissions, 'labels.read'), principal.userId, sql<string>`above.created_by`);
  return sql`
  select labels.id, labels.name, labels.name_key, color, description,
    (select above.id from labels as above where above.id = labels.parent_id and ${isReadable}) as parent_id, ${pathTo(isReadable)} as path,
    ${tallied(principal, { labelId: sql`labels.id` })} as documents, username, labels.created_at
  from labels left join users on users.id = labels.created_by`;
};

const toLabel = (row: LabelRow): CountedLabel => ({
  id: row.id,
  name: row.name,
  color: row.color,
  description: row.description,
  parentId: row.parent_id,
  path: row.path,
  documents: row.documents,
  createdBy: row.username,
  createdAt: new Date(row.created_at),
});

const labelNotFound = (id: string): AppError => codedError('NOT_FOUND', 'LABEL_NOT_FOUND', { label_id: id });

/** The label, if `principal` may read it. Throws LABEL_NOT_FOUND otherwise. */
export const getLabel = async (db: Db, principal: Principal, id: string): Promise<CountedLabel> => {
  const { rows } = await db.execute<LabelRow>(
    sql`${selectLabels(principal)} where labels.id = ${id} and ${labelsFor(principal, 'labels.read')}`,
  );
  if (rows[0] === undefined) throw labelNotFound(id);
  return toLabel(rows[0]);
};

export interface LabelListRequest extends PageRequest {
  readonly sort: LabelSortField;
  readonly order: 'asc' | 'desc';
  /** In the name, the case of letters aside. */
  readonly q?: string | undefined;
}

const readableLabels = (principal: Principal, q: string | undefined): SQL => sql`${labelsFor(principal, 'labels.read')}
  ${q === undefined ? sql`` : sql`and position(lower(${q}) in lower(labels.name)) > 0`}`;

/** As keys of a position, of the labels as they are listed. */
const SORT_KEYS = {
  name: { by: sql`labels.name_key`, type: 'text' },
  document_count: { by: sql`labels.documents`, type: 'integer' },
  created_at: { by: sql`labels.created_at`, type: 'timestamptz' },
  id: { by: sql`labels.id`, type: 'uuid' },
  color: { by: sql`labels.color`, type: 'text' },
  description: { by: sql`labels.description`, type: 'text' },
  parent_id: { by: sql`labels.parent_id`, type: 'uuid', mayBeMissing: true },
  created_by: { by: sql`labels.username`, type: 'text', mayBeMissing: true },
} as const satisfies Record<LabelSortField, unknown>;

/** A count is known only when it was made, so all of that is one table for the order and the condition. */
const selectionOf = (principal: Principal, q: string | undefined) => {
  const counted = sql`(${selectLabels(principal)} where ${readableLabels(principal, q)}) as labels`;
  return { select: (more: SQL = sql``) => sql`select labels.* ${more} from ${counted}`, where: sql`true`, toRow: toLabel };
};

/** One page of the labels that `principal` may read, and how many there are. */
export const listLabels = (
  db: Db,
  principal: Principal,
  { page, perPage, sort, order, q }: LabelListRequest,
): Promise<Page<CountedLabel>> =>
  queryPage(db, selectionOf(principal, q), {
    from: sql`(select from labels where ${readableLabels(principal, q)}) as labels`,
    order: sql`${makeKeyset(order, [SORT_KEYS[sort]]).order}, labels.name_key, labels.id`,
    page,
    perPage,
  });

/** The labels that `principal` may read behind `after`, at most `limit`. */
export const listLabelsAfter = (
  db: Db,
  principal: Principal,
  { sort, order, q, after, limit }: Pick<LabelListRequest, 'sort' | 'order' | 'q'> & CutRequest,
): Promise<Cut<CountedLabel>> => {
  const keyset = makeKeyset(order, [SORT_KEYS[sort], { by: sql`labels.id`, type: 'uuid' }]);
  return queryCut(db, selectionOf(principal, q), { keyset, after, limit });
};

const NAMES_LOCK = 0x6c_62_6c;

/**
 * Throws DUPLICATE_RESOURCE with the id where a label that `principal` may read or has made has the name, the label `except` aside: a
 * name that only labels of others have is free, so nobody learns of theirs. Until the end of the transaction nobody else can take
 * the name.
 */
const requireFreeName = async (tx: Db, principal: Principal, name: string, except?: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${NAMES_LOCK}, hashtext(lower(${name})))`);
  const [row] = await tx
    .select({ id: labels.id })
    .from(labels)
    .where(
      and(
        sql`lower(${labels.name}) = lower(${name})`,
        or(labelsFor(principal, 'labels.read'), eq(labels.createdBy, principal.userId)),
        except === undefined ? undefined : ne(labels.id, except),
      ),
    )
    .orderBy(labels.id)
    .limit(1);
  if (row === undefined) return;
  throw reasonedError('DUPLICATE_RESOURCE', 'label_exists', { name, label_id: row.id });
};

export interface LabelFields {
  readonly name: string;
  readonly color: string;
  readonly description: string;
}

/** Makes a label, below `parent` where that is given. Throws DUPLICATE_RESOURCE. */
export const createLabel = async (tx: Db, fields: LabelFields, parent: CountedLabel | undefined, by: Principal): Promise<CountedLabel> => {
  await requireFreeName(tx, by, fields.name);
  const [row] = await tx
    .insert(labels)
    .values({ id: uuidv7(), ...fields, parentId: parent?.id ?? null, createdBy: by.userId })
    .returning();
  if (row === undefined) throw new Error('insert returned no row');
  return { ...row, path: [...(parent?.path ?? []), row.name], documents: 0, createdBy: by.username };
};

/**
 * The label, locked until the end of the transaction: `key share` so that it cannot go, `no key update` to change it, `update`
 * to delete it. Throws LABEL_NOT_FOUND for what `principal` may not read; says whether they may do `action`.
 */
export const lockLabel = async (
  tx: Db,
  principal: Principal,
  action: 'labels.update' | 'labels.delete',
  id: string,
  strength: 'key share' | 'no key update' | 'update',
): Promise<{ name: string; isAllowed: boolean }> => {
  const [row] = await tx
    .select({ name: labels.name, isAllowed: sql<boolean>`coalesce(${labelsFor(principal, action)}, false)` })
    .from(labels)
    .where(and(eq(labels.id, id), labelsFor(principal, 'labels.read')))
    .for(strength);
  if (row === undefined) throw labelNotFound(id);
  return row;
};

/** Throws DUPLICATE_RESOURCE. Lock it first. */
export const updateLabel = async (tx: Db, principal: Principal, id: string, changes: Partial<LabelFields>): Promise<void> => {
  if (Object.keys(changes).length === 0) return;
  if (changes.name !== undefined) await requireFreeName(tx, principal, changes.name, id);
  await tx.update(labels).set(changes).where(eq(labels.id, id));
};

/** Deletes the label and takes it off every document. Lock it first. */
export const deleteLabel = async (tx: Db, id: string): Promise<void> => {
  await tx.delete(labels).where(eq(labels.id, id));
};

/** Throws FORBIDDEN where `principal` may not read any label. */
export const requireLabelPermission = (principal: Principal): void => {
  if (scopeOf(principal.permissions, 'labels.read') === 'none') throw permissionNeeded('labels.read');
};

/** Throws VALIDATION_ERROR naming the ids that are no label, or none of the `readable` ones. In a transaction, the labels cannot go before its end. */
export const requireLabels = async (db: Db, ids: readonly string[], readable?: SQL): Promise<void> => {
  if (ids.length === 0) return;
  const rows = await db
    .select({ id: labels.id })
    .from(labels)
    .where(and(inArray(labels.id, [...ids]), readable))
    .for('key share');
  const found = new Set(rows.map((row) => row.id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length > 0) throw reasonedError('VALIDATION_ERROR', 'unknown_labels', { unknown_label_ids: unknown });
};

/** The same for labels that `principal` names. Throws FORBIDDEN where `principal` may not read any label. */
export const requireReadableLabels = async (db: Db, principal: Principal, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  requireLabelPermission(principal);
  await requireLabels(db, ids, labelsFor(principal, 'labels.read'));
};
