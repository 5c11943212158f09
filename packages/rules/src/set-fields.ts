import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { holdFields, setFieldOfDocuments } from '@sheaf/documents/custom-fields';
import { moveDocuments } from './move-documents.ts';

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
