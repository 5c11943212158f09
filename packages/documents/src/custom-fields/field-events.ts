import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { hasValue } from './value-sql.ts';

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
