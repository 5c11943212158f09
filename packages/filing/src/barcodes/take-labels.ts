import { labelName } from '@sheaf/contract/documents';
import { type Db, labelsFor } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { createLabel, getLabel } from '@sheaf/documents/labels';
import { MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';

const DEFAULT_COLOR = '#808080';

/**
 * The ids of the labels that these paths name, each from the topmost label down. A missing one is made where `owner` may make labels; a path
 * that leads to none that he may see or make gives nothing. The caller holds the tree of labels.
 */
export const takeLabels = async (tx: Db, owner: Principal, paths: readonly (readonly string[])[]): Promise<string[]> => {
  const ids = new Set<string>();
  for (const path of paths) {
    const id = isNameable(path) ? await takeLabel(tx, owner, path) : undefined;
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
};

const isNameable = (path: readonly string[]): boolean =>
  path.length <= MAX_LABEL_LEVELS && path.every((name) => labelName.safeParse(name).success);

const takeLabel = async (tx: Db, owner: Principal, path: readonly string[]): Promise<string | undefined> => {
  let upper: string | undefined;
  for (const name of path) {
    upper = (await findLabel(tx, owner, name)) ?? (await makeLabel(tx, owner, name, upper));
    if (upper === undefined) return undefined;
  }
  return upper;
};

/** Names are unique among those that he may see, wherever they hang: his own, or the oldest. */
const findLabel = async (tx: Db, owner: Principal, name: string): Promise<string | undefined> => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select id from labels where lower(name) = lower(${name}) and ${labelsFor(owner, 'labels.read')}
    order by coalesce(created_by = ${owner.userId}::uuid, false) desc, id limit 1 for key share`);
  return rows[0]?.id;
};

const makeLabel = async (tx: Db, owner: Principal, name: string, upper: string | undefined): Promise<string | undefined> => {
  if (scopeOf(owner.permissions, 'labels.create') === 'none') return undefined;
  const parent = upper === undefined ? undefined : await getLabel(tx, owner, upper);
  return (await createLabel(tx, { name, color: DEFAULT_COLOR, description: '' }, parent, owner)).id;
};
