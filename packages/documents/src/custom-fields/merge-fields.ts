import { codedError, makeIssue, reasonedError, validationError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { type CustomFieldRow, customFields } from '@sheaf/db/schema';
import { MAX_CHOICES } from '@sheaf/vocabulary/custom-fields';
import { emitFieldEvents, lockDocumentsOfFields, lockField } from './change-field.ts';
import { EVENT_JSON, hasValue } from './value-sql.ts';

/** The choices of both, those of the field that remains first. Throws DUPLICATE_RESOURCE where these are too many. */
const joinChoices = (remaining: CustomFieldRow, gone: CustomFieldRow): string[] => {
  const known = new Set(remaining.choices.map((choice) => choice.toLowerCase()));
  const choices = [...remaining.choices, ...gone.choices.filter((choice) => !known.has(choice.toLowerCase()))];
  if (choices.length > MAX_CHOICES) throw reasonedError('DUPLICATE_RESOURCE', 'too_many_choices', { limit: MAX_CHOICES });
  return choices;
};

const lockBoth = async (tx: Db, id: string, into: string): Promise<{ gone: CustomFieldRow; remaining: CustomFieldRow }> => {
  const locked = new Map<string, CustomFieldRow>();
  for (const one of [id, into].toSorted()) locked.set(one, await lockField(tx, one));
  const [gone, remaining] = [locked.get(id), locked.get(into)];
  if (gone === undefined || remaining === undefined) throw new Error('a field was not locked');
  return { gone, remaining };
};

/** Gives one field to the documents that lack the other or its value, with the choices as the other spells them. */
const moveValues = async (tx: Db, gone: CustomFieldRow, remaining: CustomFieldRow, choices: readonly string[]): Promise<void> => {
  await tx.execute(sql`
    insert into document_fields (document_id, field_id, text_value, number_value, currency, date_value, boolean_value, document_value)
    select document_id, ${remaining.id}::uuid,
      coalesce((select choice from unnest(${sql.param([...choices])}::text[]) as choice where lower(choice) = lower(text_value) limit 1), text_value),
      number_value, currency, date_value, boolean_value, document_value
    from document_fields where field_id = ${gone.id}::uuid order by document_id
    on conflict (document_id, field_id) do update set text_value = excluded.text_value, number_value = excluded.number_value,
      currency = excluded.currency, date_value = excluded.date_value, boolean_value = excluded.boolean_value,
      document_value = excluded.document_value
    where not ${hasValue()}`);
};

/**
 * Merges a field into another one of its type, which keeps the values that it has; answers both as they were, and how many documents had
 * the one that is gone. Throws FIELD_NOT_FOUND, FIELD_TYPES_DIFFER, and VALIDATION_ERROR where both are the same.
 */
export const mergeFields = async (
  tx: Db,
  id: string,
  into: string,
): Promise<{ readonly gone: CustomFieldRow; readonly remaining: CustomFieldRow; readonly documents: number }> => {
  await lockDocumentsOfFields(tx, [id, into]);
  const { gone, remaining } = await lockBoth(tx, id, into);
  if (id === into) throw validationError('A field cannot be merged into itself.', { issues: [makeIssue('into', 'same_field')] });
  if (gone.type !== remaining.type) throw codedError('DUPLICATE_RESOURCE', 'FIELD_TYPES_DIFFER', { types: [gone.type, remaining.type] });
  const choices = joinChoices(remaining, gone);
  await tx.update(customFields).set({ choices }).where(eq(customFields.id, into));
  await moveValues(tx, gone, remaining, choices);
  // by now every document that had the one has the other
  const hadIt = sql`exists (select from document_fields as had where had.document_id = documents.id and had.field_id = ${id}::uuid)`;
  const changes = sql`jsonb_build_object(${gone.name}::text, null, custom_fields.name, ${EVENT_JSON})`;
  const documents = await emitFieldEvents(tx, into, changes, { isMeant: hadIt });
  await tx.delete(customFields).where(eq(customFields.id, id));
  return { gone, remaining, documents };
};
