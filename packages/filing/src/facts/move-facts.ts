import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { type DocumentFact, documentFacts } from '@sheaf/db/schema';
import { type Turn, turnBox } from '@sheaf/vocabulary/page-words';
import { fieldOf } from './learn-from-choice.ts';

/** Where a page is now, and how it was turned. */
export interface MovedPage {
  readonly documentId: string;
  /** From 1. */
  readonly page: number;
  /** Clockwise. */
  readonly rotateBy: 0 | Turn;
}

const NO_PLACE = { page: null, x: null, y: null, width: null, height: null } as const;

const movedFact = (fact: DocumentFact, to: MovedPage | undefined): DocumentFact => {
  if (to === undefined) return { ...fact, ...NO_PLACE };
  const { x, y, width, height } = fact;
  const moved = { ...fact, documentId: to.documentId, page: to.page };
  if (to.rotateBy === 0 || x === null || y === null || width === null || height === null) return moved;
  return { ...moved, ...turnBox({ x, y, width, height }, to.rotateBy) };
};

/** The facts of a document, which is locked, that stand on one of its pages. Read them before its pages are others. */
export const readPlacedFacts = (tx: Db, documentId: string): Promise<DocumentFact[]> =>
  tx
    .select()
    .from(documentFacts)
    .where(and(eq(documentFacts.documentId, documentId), sql`${documentFacts.page} is not null`));

/**
 * Moves facts with their pages: `movedPages` says where each page is now. What a person has chosen stays chosen, also in the document that the
 * page is in now. What counts stays where its page is gone, until facts are found anew; anything else that was found on such a page goes.
 */
export const moveFacts = async (tx: Db, facts: readonly DocumentFact[], movedPages: ReadonlyMap<number, MovedPage>): Promise<void> => {
  const placed = facts.map((fact) => ({ fact, to: movedPages.get(fact.page ?? 0) }));
  const gone = placed.filter(({ fact, to }) => to === undefined && !fact.isChosen).map(({ fact }) => fact.id);
  await tx.execute(sql`delete from document_facts where id = any(${sql.param(gone)}::uuid[])`);
  const moved = placed.map(({ fact, to }) => movedFact(fact, to));
  const rows = moved.map(({ id, documentId, page, x, y, width, height }) => ({ id, documentId, page, x, y, width, height }));
  // not inserted anew, which would wait for whoever deletes a correspondent and waits for this document
  await tx.execute(sql`
    update document_facts as facts
    set document_id = moved."documentId", page = moved.page, x = moved.x, y = moved.y, width = moved.width, height = moved.height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as moved (id uuid, "documentId" uuid, page int, x real, y real, width real, height real)
    where facts.id = moved.id`);
  for (const { fact, to } of placed)
    if (to !== undefined && fact.isChosen && to.documentId !== fact.documentId) await moveConfirmation(tx, fact, to.documentId);
};

/** What a person has set by a fact is set in the document that the fact is in now, and no longer where it was. */
const moveConfirmation = async (tx: Db, { documentId, kind, value, correspondentId }: DocumentFact, to: string): Promise<void> => {
  const field = fieldOf(kind);
  const { rowCount } = await tx.execute(sql`
    update documents set confirmed_fields = array_remove(confirmed_fields, ${field}) where id = ${documentId} and ${field} = any(confirmed_fields)`);
  if (rowCount === 0) return;
  const date = kind === 'document_date' ? value : null;
  const correspondent = kind === 'sender' ? correspondentId : null;
  await tx.execute(sql`
    update documents set confirmed_fields = array_append(confirmed_fields, ${field}),
      document_date = coalesce(${date}::date, document_date), correspondent_id = coalesce(${correspondent}::uuid, correspondent_id)
    where id = ${to}`);
};
