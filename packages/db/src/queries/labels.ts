import { validationError } from '@sheaf/contract';
import type { Db } from '../client.ts';
import { inArray } from '../drizzle.ts';
import { documentLabels, labels } from '../schema/labels.ts';

/** Throws VALIDATION_ERROR naming the ids that are no label. */
export const requireLabels = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const found = new Set(
    (
      await db
        .select({ id: labels.id })
        .from(labels)
        .where(inArray(labels.id, [...ids]))
    ).map((row) => row.id),
  );
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length > 0) throw validationError('Some labels do not exist', { unknown_label_ids: unknown });
};

export const addLabels = async (tx: Db, documentId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx
    .insert(documentLabels)
    .values(ids.map((labelId) => ({ documentId, labelId })))
    .onConflictDoNothing();
};
