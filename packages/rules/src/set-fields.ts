import type { RuleValue } from '@sheaf/contract/rules';
import { type Db, violates } from '@sheaf/db';
import { inArray, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { holdFields, setFieldOfDocuments } from '@sheaf/documents/custom-fields';
import { retry } from '@sheaf/process';

/** What a document, which the caller has locked, is given. */
export interface Setting<V extends RuleValue | null = RuleValue> {
  readonly documentId: string;
  readonly value: V;
}

const idsOf = (settings: readonly Setting<RuleValue | null>[]): string[] => settings.map(({ documentId }) => documentId);

/** Sets the correspondent or document type, or takes it away, one statement for each value. */
export const setFiling = async (
  tx: Db,
  field: 'correspondent' | 'document_type',
  settings: readonly Setting<RuleValue | null>[],
): Promise<void> => {
  for (const [id, sameValue] of Map.groupBy(settings, ({ value }) => value?.id ?? null)) {
    await tx
      .update(documents)
      .set(field === 'correspondent' ? { correspondentId: id } : { documentTypeId: id })
      .where(sql`${documents.id} = any(${sql.param(idsOf(sameValue))}::uuid[])`);
  }
};

interface FieldSetting extends Setting {
  /** Where there is no `value` in `value`: the field remains without one. Otherwise it is taken away. */
  readonly isKept?: boolean;
}

/** Sets the values of custom fields, or takes them away where there is no `value` in `value`. */
export const setCustomFields = async (tx: Db, settings: readonly FieldSetting[]): Promise<void> => {
  const fields = await holdFields(tx, [...new Set(settings.map(({ value }) => value.id))]);
  const keyOf = ({ value, isKept = false }: FieldSetting): string => JSON.stringify([value.id, value.value, isKept]);
  for (const sameValue of Map.groupBy(settings, keyOf).values()) {
    const [first] = sameValue;
    const field = first && fields.get(first.value.id);
    if (field === undefined) continue;
    await setFieldOfDocuments(tx, field, idsOf(sameValue), first?.value.value ?? (first?.isKept === true ? null : undefined));
  }
};

/** Changes owners, whose rows are held; answers the ids of the documents that the new ones could get. */
export const setOwners = async (tx: Db, settings: readonly Setting[]): Promise<ReadonlySet<string>> => {
  const moved = new Set<string>();
  for (const [ownerId, sameOwner] of Map.groupBy(settings, ({ value }) => value.id)) {
    for (const id of await moveDocuments(tx, idsOf(sameOwner), ownerId)) moved.add(id);
  }
  return moved;
};

/**
 * Those of the documents that `ownerId` can get: nobody has the same file or the same archive number twice. Of several with the same file or
 * number it is one, and none where this user has that file or number.
 */
export const findMovable = async (db: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> => {
  const { rows } = await db.execute<{ id: string }>(sql`
    with file as (
      select distinct on (sha256) id, archive_number from documents
      where id = any(${sql.param([...ids])}::uuid[]) and not exists (
        select from documents as theirs where theirs.owner_id = ${ownerId}::uuid and theirs.sha256 = documents.sha256)
      order by sha256, id)
    select id from file where archive_number is null
    union all (
      select distinct on (archive_number) id from file
      where archive_number is not null and not exists (
        select from documents as theirs where theirs.owner_id = ${ownerId}::uuid and theirs.archive_number = file.archive_number)
      order by archive_number, id)`);
  return new Set(rows.map(({ id }) => id));
};

/** What nobody has twice. */
const TWINS = ['documents_owner_sha256_key', 'documents_archive_number_key'] as const;

/** Imports that may happen in between, one after the other, before the change is abandoned. */
const ATTEMPTS = 3;

const moveMovable = async (tx: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> => {
  const movable = await findMovable(tx, ids, ownerId);
  if (movable.size > 0)
    await tx
      .update(documents)
      .set({ ownerId })
      .where(inArray(documents.id, [...movable]));
  return movable;
};

/**
 * Gives the documents, which the caller has locked, another owner; answers those that this user could get. Hold the row of the user. Tallies
 * and the search entry follow by their triggers; the import log stays with whom the file came from, so that it is not imported again.
 */
const moveDocuments = (tx: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> =>
  retry(() => tx.transaction((part) => moveMovable(part, ids, ownerId)), {
    attempts: ATTEMPTS,
    // the user has got the same file or number meanwhile, which is found the next time
    isPassing: (error) => TWINS.some((name) => violates(error, name)),
  });
