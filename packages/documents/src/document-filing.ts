import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import type { EditableField } from '@sheaf/vocabulary/document-fields';

/** Fields that a person can set for good: nothing else changes them then, not even one that is empty. */
export type ConfirmedField = EditableField['key'] | 'correspondent' | 'document_type' | ReturnType<typeof confirmedNameOf>;

/** Notes that a person has set these fields of the documents, which the caller has locked. */
export const confirmFields = async (tx: Db, ids: readonly string[], fields: readonly ConfirmedField[]): Promise<void> => {
  const wanted = sql`${sql.param([...fields])}::text[]`;
  await tx.execute(sql`
    update documents set confirmed_fields = array(select distinct field from unnest(confirmed_fields || ${wanted}) as field order by field)
    where id = any(${sql.param([...ids])}::uuid[]) and not confirmed_fields @> ${wanted}`);
};

const COLUMNS = { correspondent: documents.correspondentId, document_type: documents.documentTypeId } as const;

/**
 * Gives the documents, which the caller has locked, this correspondent or type, or takes theirs away; answers those that this
 * changed. Confirms nothing.
 */
export const setFilingOfDocuments = async (
  tx: Db,
  ids: readonly string[],
  field: keyof typeof COLUMNS,
  entryId: string | null,
): Promise<Set<string>> => {
  const column = sql.identifier(COLUMNS[field].name);
  const { rows } = await tx.execute<{ id: string }>(sql`
    update documents set ${column} = ${entryId}::uuid, updated_at = now()
    where id = any(${sql.param([...ids])}::uuid[]) and ${column} is distinct from ${entryId}::uuid returning id`);
  return new Set(rows.map(({ id }) => id));
};
