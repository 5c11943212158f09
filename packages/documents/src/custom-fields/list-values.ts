import type { FieldValue } from '@sheaf/contract/documents';
import { type Db, ownedBy, preparedByScope, readingReach } from '@sheaf/db';
import { alias, eq, sql } from '@sheaf/db/drizzle';
import { customFields, documentFields, documents } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { VALUE_JSON } from './value-sql.ts';

/** A custom field that a document has, with its value; null where it is empty. */
export interface DocumentField {
  readonly name: string;
  readonly value: FieldValue | null;
}

const NONE: readonly DocumentField[] = [];

const linked = alias(documents, 'linked');

const readerOf = preparedByScope((db, scope) =>
  db
    .select({ documentId: documentFields.documentId, name: customFields.name, value: sql<FieldValue | null>`${VALUE_JSON}` })
    .from(documentFields)
    .innerJoin(customFields, eq(customFields.id, documentFields.fieldId))
    .leftJoin(linked, eq(linked.id, documentFields.documentValue))
    .where(
      sql`${documentFields.documentId} = any(${sql.placeholder('ids')}::uuid[])
        and (${documentFields.documentValue} is null or ${ownedBy(scope, sql.placeholder('user'), linked.ownerId)})`,
    )
    .orderBy(customFields.nameKey)
    // planned once a connection: each list asks this, and planning three tables takes longer than reading what most documents have
    .prepare(`field_values_${scope}`),
);

/**
 * The fields of each document in the order of their names, as `principal` sees them, in one query: links to documents that may not be read are not
 * among them. Whoever calls it has found that the documents themselves may be read.
 */
export const listFieldValues = async (
  db: Db,
  principal: Principal,
  documentIds: readonly string[],
): Promise<(documentId: string) => readonly DocumentField[]> => {
  if (documentIds.length === 0) return () => NONE;
  const { scope, userId } = readingReach(principal);
  const rows = await readerOf(db, scope).execute({ ids: documentIds, user: userId });
  const byDocument = Map.groupBy(rows, (row) => row.documentId);
  return (id) => byDocument.get(id) ?? NONE;
};
