import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { type Document, type DocumentFact, documentFacts, documents } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { takeCorrespondent } from './chosen-correspondent.ts';
import { fieldOf } from './fact-rows.ts';
import { learnFromChoice } from './learn-from-choice.ts';
import { listFacts } from './list-facts.ts';
import type { FiledChanges } from './store-facts.ts';

/** What a choice changed, as events say it. */
export interface ChoiceChanges extends FiledChanges {
  readonly facts: Readonly<Record<string, string>>;
}

const findFact = async (tx: Db, documentId: string, id: string): Promise<DocumentFact> => {
  const [fact] = await tx
    .select()
    .from(documentFacts)
    .where(and(eq(documentFacts.id, id), eq(documentFacts.documentId, documentId)));
  if (fact === undefined) throw codedError('NOT_FOUND', 'FACT_NOT_FOUND', { fact_id: id });
  return fact;
};

/** What the document is filed by with the fact, and what is said of it. */
const fileBy = async (
  tx: Db,
  principal: Principal,
  fact: DocumentFact,
): Promise<{ readonly fields: Partial<Document>; readonly changes: FiledChanges }> => {
  if (fact.kind === 'document_date') return { fields: { documentDate: fact.value }, changes: { document_date: fact.value } };
  if (fact.kind !== 'sender') return { fields: {}, changes: {} };
  const correspondent = await takeCorrespondent(tx, principal, fact);
  await tx.update(documentFacts).set({ correspondentId: correspondent.id }).where(eq(documentFacts.id, fact.id));
  return { fields: { correspondentId: correspondent.id }, changes: { correspondent } };
};

/**
 * Makes a fact the one of its kind that counts, as a person wishes: nothing but people changes it again. The date or the correspondent
 * of the document, which the caller has locked, becomes what it says, and the correspondent learns from it. Throws FACT_NOT_FOUND, and
 * FORBIDDEN where it takes a correspondent that `principal` may not make.
 */
export const chooseFact = async (tx: Db, principal: Principal, documentId: string, factId: string): Promise<ChoiceChanges> => {
  const fact = await findFact(tx, documentId, factId);
  const { fields, changes } = await fileBy(tx, principal, fact);
  const isOfKind = and(eq(documentFacts.documentId, documentId), eq(documentFacts.kind, fact.kind));
  await tx
    .update(documentFacts)
    .set({ isChosen: sql`${documentFacts.id} = ${factId}` })
    .where(isOfKind);
  const field = fieldOf(fact.kind);
  const [document] = await tx
    .update(documents)
    .set({
      ...fields,
      confirmedFields: sql`array_append(array_remove(${documents.confirmedFields}, ${field}), ${field})`,
      updatedAt: sql`now()`,
    })
    .where(eq(documents.id, documentId))
    .returning();
  if (document !== undefined && document.correspondentId !== null) {
    const { correspondentId, confirmedFields } = document;
    await learnFromChoice(tx, principal, { documentId, correspondentId, facts: await listFacts(tx, document), confirmedFields });
  }
  return { ...changes, facts: { [fact.kind]: fact.value } };
};
