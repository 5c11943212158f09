import type { Db } from '@sheaf/db';
import { asc, eq } from '@sheaf/db/drizzle';
import { type Document, type DocumentFact, documentFacts } from '@sheaf/db/schema';
import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import { fieldOf } from './fact-rows.ts';

/** Which facts count: of dates and senders those that the document is filed by now, whoever filed it. */
const chosenIds = (facts: readonly DocumentFact[], { documentDate, correspondentId }: FiledDocument): Set<string> => {
  const senders = facts.filter(
    (fact) => fact.kind === 'sender' && fact.correspondentId !== null && fact.correspondentId === correspondentId,
  );
  const sender = senders.find(({ isChosen }) => isChosen) ?? senders[0];
  const others = facts.filter(({ kind, value, isChosen }) =>
    kind === 'document_date' ? value === documentDate : kind !== 'sender' && isChosen,
  );
  return new Set([...others, ...(sender === undefined ? [] : [sender])].map(({ id }) => id));
};

type FiledDocument = Pick<Document, 'id' | 'documentDate' | 'correspondentId' | 'confirmedFields'>;

/** A fact, and whether a person has said that it counts. */
export type ListedFact = DocumentFact & { readonly isConfirmed: boolean };

/** The facts of a document by kind, the best first: there are at most ten of each. Whoever calls it has found that they may be read. */
export const listFacts = async (db: Db, document: FiledDocument): Promise<ListedFact[]> => {
  const rows = await db.select().from(documentFacts).where(eq(documentFacts.documentId, document.id)).orderBy(asc(documentFacts.rank));
  const chosen = chosenIds(rows, document);
  return FACT_KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind)).map((row) => {
    const isChosen = chosen.has(row.id);
    return { ...row, isChosen, isConfirmed: isChosen && document.confirmedFields.includes(fieldOf(row.kind)) };
  });
};
