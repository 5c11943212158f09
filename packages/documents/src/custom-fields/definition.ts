import { type Issue, invalidInput, makeIssue, reasonedError } from '@sheaf/contract';
import { type Db, ownedBy } from '@sheaf/db';
import { and, eq, ne, sql } from '@sheaf/db/drizzle';
import { customFields, documentTypes } from '@sheaf/db/schema';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';

/** What a custom field is called, and what its values can be. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  /** Of a choice: what can be chosen, in the order in which it is offered. */
  readonly choices: readonly string[];
  /** Of amounts: the currency that is offered first; null: none. */
  readonly defaultCurrency: string | null;
  /** Offered for documents of this type only; null: for all. */
  readonly documentTypeId: string | null;
}

const NAMES_LOCK = 0x66_6c_64;

/** Throws DUPLICATE_RESOURCE where another field than `except` has the name. Nobody else takes a name until the end of the transaction. */
export const requireFreeName = async (tx: Db, name: string, except?: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${NAMES_LOCK})`);
  const [row] = await tx
    .select({ id: customFields.id })
    .from(customFields)
    .where(and(sql`lower(${customFields.name}) = lower(${name})`, except === undefined ? undefined : ne(customFields.id, except)));
  if (row !== undefined) throw reasonedError('DUPLICATE_RESOURCE', 'field_exists', { name, field_id: row.id });
};

const choiceIssue = ({ type, choices }: FieldDefinition): Issue | undefined => {
  if (type === 'choice') return choices.length === 0 ? makeIssue('choices', 'too_few', { minimum: 1 }) : undefined;
  return choices.length === 0 ? undefined : makeIssue('choices', 'not_for_field_type', { type });
};

const currencyIssue = ({ type, defaultCurrency }: FieldDefinition): Issue | undefined =>
  type === 'amount' || defaultCurrency === null ? undefined : makeIssue('default_currency', 'not_for_field_type', { type });

const isDocumentType = async (tx: Db, { permissions, userId }: Principal, id: string): Promise<boolean> => {
  const isReadable = ownedBy(scopeOf(permissions, 'labels.read'), userId, documentTypes.createdBy);
  const rows = await tx
    .select({ id: documentTypes.id })
    .from(documentTypes)
    .where(and(eq(documentTypes.id, id), isReadable))
    .for('key share');
  return rows.length > 0;
};

/** Throws VALIDATION_ERROR where the parts of a definition do not fit each other, or name a document type that the caller cannot see. */
export const requireDefinition = async (
  tx: Db,
  principal: Principal,
  definition: FieldDefinition,
  before?: FieldDefinition,
): Promise<void> => {
  const issues = [choiceIssue(definition), currencyIssue(definition)].filter((issue) => issue !== undefined);
  const { documentTypeId } = definition;
  if (documentTypeId !== null && documentTypeId !== before?.documentTypeId && !(await isDocumentType(tx, principal, documentTypeId)))
    issues.push(makeIssue('document_type_id', 'no_such_document_type'));
  if (issues.length > 0) throw invalidInput('body', issues);
};
