import { reasonedError } from '@sheaf/contract';
import { type Db, labelsFor } from '@sheaf/db';
import { and, eq, type SQL, sql } from '@sheaf/db/drizzle';
import { labels } from '@sheaf/db/schema';
import { MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type CountedLabel, getLabel, requireLabelPermission } from './labels.ts';

const uuids = (ids: readonly string[]): SQL => sql`${sql.param([...ids])}::uuid[]`;

/** A table of the ids of these labels and of all above them. */
export const withAncestors = (ids: readonly string[]): SQL => sql`(
  with recursive up as (
    select id, parent_id from labels where id = any(${uuids(ids)})
    union select labels.id, labels.parent_id from labels join up on labels.id = up.parent_id)
  select id as label_id from up)`;

/** A table of the ids of these labels and of all below them, with the level below the given ones, which have 1. */
export const withDescendants = (ids: readonly string[]): SQL => sql`(
  with recursive down as (
    select id, 1 as level from labels where id = any(${uuids(ids)})
    union select labels.id, down.level + 1 from labels join down on labels.parent_id = down.id where down.level < ${MAX_LABEL_LEVELS})
  select id as label_id, level from down)`;

/** The labels below each of these, whatever their level; of one that has none there is no entry. */
export const listLabelsBelow = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { rows } = await db.execute<{ upper: string; lower: string }>(sql`
    with recursive down as (
      select id as upper, id as lower, 1 as level from labels where id = any(${uuids(ids)})
      union select down.upper, labels.id, down.level + 1 from labels join down on labels.parent_id = down.lower
        where down.level < ${MAX_LABEL_LEVELS})
    select upper, lower from down where lower <> upper`);
  return new Map([...Map.groupBy(rows, ({ upper }) => upper)].map(([upper, below]) => [upper, below.map(({ lower }) => lower)]));
};

const TREE_LOCK = 0x6c_62_74;

/** Until the end of the transaction nobody else moves or deletes a label. Comes before all other locks. */
export const lockLabelTree = async (tx: Db): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${TREE_LOCK}, 0)`);
};

/** Nobody can put a label of the tree below `id` on a document until the end of the transaction. Returns how many levels it has. */
const lockDescendants = async (tx: Db, id: string): Promise<{ ids: ReadonlySet<string>; levels: number }> => {
  const { rows } = await tx.execute<{ id: string; level: number }>(sql`
    select labels.id, level from ${withDescendants([id])} as below join labels on labels.id = below.label_id order by labels.id for update of labels`);
  return { ids: new Set(rows.map((row) => row.id)), levels: Math.max(0, ...rows.map(({ level }) => level)) };
};

/** How many levels there are down to `id`. Throws VALIDATION_ERROR where it is no label that `principal` may read. */
const requireParent = async (tx: Db, principal: Principal, id: string): Promise<number> => {
  requireLabelPermission(principal);
  const [parent] = await tx
    .select({ id: labels.id })
    .from(labels)
    .where(and(eq(labels.id, id), labelsFor(principal, 'labels.read')))
    .for('key share');
  if (parent === undefined) throw reasonedError('VALIDATION_ERROR', 'unknown_labels', { unknown_label_ids: [id] });
  const { rows } = await tx.execute<{ levels: number }>(sql`select count(*)::int as levels from ${withAncestors([id])} as above`);
  return rows[0]?.levels ?? 1;
};

const requireLevels = (levels: number): void => {
  if (levels > MAX_LABEL_LEVELS) throw reasonedError('VALIDATION_ERROR', 'too_many_label_levels', { limit: MAX_LABEL_LEVELS });
};

/** The label that a new one is to stand below. Throws VALIDATION_ERROR where that cannot be. Needs `lockLabelTree`. */
export const getParent = async (tx: Db, principal: Principal, id: string): Promise<CountedLabel> => {
  requireLevels((await requireParent(tx, principal, id)) + 1);
  return getLabel(tx, principal, id);
};

/**
 * Puts the label below another one, or below none, and gives its documents the labels above it; what they have already stays on them.
 * Returns whether documents got a label. Needs `lockLabelTree`. Throws VALIDATION_ERROR for a parent that `principal` may not read, that
 * stands below the label, or that would make too many levels.
 */
export const moveLabel = async (tx: Db, principal: Principal, id: string, parentId: string | null): Promise<boolean> => {
  const below = await lockDescendants(tx, id);
  if (parentId !== null) {
    if (below.ids.has(parentId)) throw reasonedError('VALIDATION_ERROR', 'label_below_itself');
    requireLevels((await requireParent(tx, principal, parentId)) + below.levels);
  }
  await tx.update(labels).set({ parentId }).where(eq(labels.id, id));
  if (parentId === null) return false;
  const added = await tx.execute(sql`
    insert into document_labels (document_id, label_id)
    select document_labels.document_id, above.label_id from document_labels, ${withAncestors([parentId])} as above
    where document_labels.label_id = ${id}::uuid order by 1, 2
    on conflict do nothing`);
  return (added.rowCount ?? 0) > 0;
};

/** Puts the labels below this one where it stands itself, before it is deleted. */
export const liftChildren = async (tx: Db, id: string): Promise<void> => {
  await tx.execute(sql`
    update labels set parent_id = (select gone.parent_id from labels as gone where gone.id = ${id}::uuid) where parent_id = ${id}::uuid`);
};
