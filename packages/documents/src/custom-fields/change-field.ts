import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, count, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { type CustomFieldRow, customFields, documentFields } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type FieldDefinition, requireDefinition, requireFreeName } from './definition.ts';
import { emitFieldEvents, lockDocumentsOfFields } from './field-events.ts';
import { fieldNotFound } from './fields.ts';
import { EVENT_JSON, hasValue } from './value-sql.ts';

/** The field, locked until the end of the transaction, so that nobody gives a document a value of it. Throws FIELD_NOT_FOUND. */
export const lockField = async (tx: Db, id: string): Promise<CustomFieldRow> => {
  const [row] = await tx.select().from(customFields).where(eq(customFields.id, id)).for('update');
  if (row === undefined) throw fieldNotFound(id);
  return row;
};

/** How many documents have the field, or of these those that are meant. */
const countDocuments = async (tx: Db, fieldId: string, isMeant?: SQL): Promise<number> => {
  const [row] = await tx
    .select({ total: count() })
    .from(documentFields)
    .where(and(eq(documentFields.fieldId, fieldId), isMeant));
  return row?.total ?? 0;
};

const has = (choices: readonly string[]): SQL => inArray(documentFields.textValue, [...choices]);

/** How many documents lose something: their number, so that nobody removes more than they know of, or all of them, however many there are. */
export type Confirmation = number | 'all' | undefined;

const isConfirmed = (confirm: Confirmation, documents: number): boolean => confirm === 'all' || (confirm ?? 0) === documents;

/** Takes choices away with the values that have them: the field remains on the documents, without a value. Throws FIELD_CHOICE_IN_USE where `confirm` is not the number of these. */
const removeChoices = async (tx: Db, field: CustomFieldRow, gone: readonly string[], confirm: Confirmation): Promise<void> => {
  if (gone.length === 0) return;
  const documentCount = await countDocuments(tx, field.id, has(gone));
  if (!isConfirmed(confirm, documentCount))
    throw codedError('DUPLICATE_RESOURCE', 'FIELD_CHOICE_IN_USE', { choices: gone, document_count: documentCount });
  await emitFieldEvents(tx, field.id, sql`jsonb_build_object(custom_fields.name, null)`, { isMeant: has(gone), becomes: 'empty' });
  await tx
    .update(documentFields)
    .set({ textValue: null })
    .where(and(eq(documentFields.fieldId, field.id), has(gone)));
};

/** Values keep their choice where it is only spelled otherwise. */
const respellChoices = async (tx: Db, field: CustomFieldRow, spellings: ReadonlyMap<string, string>): Promise<void> => {
  for (const [before, after] of spellings) {
    await tx
      .update(documentFields)
      .set({ textValue: after })
      .where(and(eq(documentFields.fieldId, field.id), eq(documentFields.textValue, before)));
    await emitFieldEvents(tx, field.id, sql`jsonb_build_object(custom_fields.name, ${EVENT_JSON})`, { isMeant: has([after]) });
  }
};

const changeChoices = async (
  tx: Db,
  field: CustomFieldRow,
  choices: readonly string[],
  { confirm, renamedChoices }: FieldChange,
): Promise<void> => {
  const spelling = new Map(choices.map((choice) => [choice.toLowerCase(), choice]));
  const otherwise = field.choices
    .filter((choice) => !choices.includes(choice))
    .map((choice) => [choice, renamedChoices?.get(choice) ?? spelling.get(choice.toLowerCase())] as const);
  await removeChoices(
    tx,
    field,
    otherwise.flatMap(([choice, now]) => (now === undefined ? [choice] : [])),
    confirm,
  );
  await respellChoices(tx, field, new Map(otherwise.flatMap(([choice, now]) => (now === undefined ? [] : [[choice, now]]))));
};

export interface FieldChange extends Partial<FieldDefinition> {
  /** How many documents lose their value because their choice is removed. */
  readonly confirm?: Confirmation;
  /** What choices are called from now on, by what they were called. */
  readonly renamedChoices?: ReadonlyMap<string, string> | undefined;
}

/** What the field is after the change: of another type than a choice there is nothing to choose from, and only amounts have a currency. */
const changed = (field: CustomFieldRow, { confirm: _confirm, renamedChoices: _renamed, ...change }: FieldChange): FieldDefinition => {
  const { name, type, choices, defaultCurrency, documentTypeId } = { ...field, ...change };
  return {
    name,
    type,
    documentTypeId,
    choices: type === 'choice' ? choices : (change.choices ?? []),
    defaultCurrency: type === 'amount' ? defaultCurrency : (change.defaultCurrency ?? null),
  };
};

/**
 * Changes a field, and its values with it; answers what it was before. Throws FIELD_NOT_FOUND, DUPLICATE_RESOURCE where the name is in use,
 * FIELD_HAS_VALUES where the type cannot be changed, FIELD_CHOICE_IN_USE, VALIDATION_ERROR where the parts do not fit, and as `requireMatch` does
 * once the field is locked.
 */
export const updateField = async (
  tx: Db,
  principal: Principal,
  id: string,
  change: FieldChange,
  requireMatch: (tx: Db) => Promise<void> = async () => {},
): Promise<CustomFieldRow> => {
  await lockDocumentsOfFields(tx, [id]);
  if (change.name !== undefined) await requireFreeName(tx, change.name, id);
  const before = await lockField(tx, id);
  await requireMatch(tx);
  const after = changed(before, change);
  await requireDefinition(tx, principal, after, before);
  if (after.type !== before.type) {
    const documentCount = await countDocuments(tx, id, hasValue());
    if (documentCount > 0) throw codedError('DUPLICATE_RESOURCE', 'FIELD_HAS_VALUES', { document_count: documentCount });
  } else await changeChoices(tx, before, after.choices, change);
  await tx
    .update(customFields)
    .set({ ...after, choices: [...after.choices] })
    .where(eq(customFields.id, id));
  if (after.name !== before.name)
    await emitFieldEvents(tx, id, sql`jsonb_build_object(${before.name}::text, null, custom_fields.name, ${EVENT_JSON})`);
  return before;
};

/**
 * Deletes a field with its values; answers what it was. Throws FIELD_NOT_FOUND, and FIELD_IN_USE where `confirm` is not the number of documents that
 * have it, with or without a value.
 */
export const deleteField = async (tx: Db, id: string, confirm: Confirmation): Promise<CustomFieldRow & { readonly documents: number }> => {
  await lockDocumentsOfFields(tx, [id]);
  const field = await lockField(tx, id);
  const documents = await countDocuments(tx, id);
  if (!isConfirmed(confirm, documents)) throw codedError('DUPLICATE_RESOURCE', 'FIELD_IN_USE', { document_count: documents });
  await emitFieldEvents(tx, id, sql`jsonb_build_object(custom_fields.name, null)`, { becomes: 'removed' });
  await tx.delete(customFields).where(eq(customFields.id, id));
  return { ...field, documents };
};
