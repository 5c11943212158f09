import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { type DocumentFact, documentFacts } from '@sheaf/db/schema';
import { type Turn, turnBox } from '@sheaf/page-words';

/** Where a page of a document is now, and how it was turned. */
export interface MovedPage {
  /** From 1. */
  readonly page: number;
  /** Clockwise. */
  readonly rotateBy: 0 | Turn;
}

const NO_PLACE = { page: null, x: null, y: null, width: null, height: null } as const;

const movedFact = (fact: DocumentFact, to: MovedPage | undefined): DocumentFact => {
  if (to === undefined) return { ...fact, ...NO_PLACE };
  const { x, y, width, height } = fact;
  if (to.rotateBy === 0 || x === null || y === null || width === null || height === null) return { ...fact, page: to.page };
  return { ...fact, page: to.page, ...turnBox({ x, y, width, height }, to.rotateBy) };
};

/**
 * Moves the facts of a document, which is locked, with its pages: `movedPages` says where each is now. What counts stays, also where its page
 * is gone, until facts are found anew; anything else that was found on such a page goes with it.
 */
export const moveFacts = async (tx: Db, documentId: string, movedPages: ReadonlyMap<number, MovedPage>): Promise<void> => {
  const facts = await tx.select().from(documentFacts).where(eq(documentFacts.documentId, documentId));
  const placed = facts.flatMap((fact) => (fact.page === null ? [] : [{ fact, to: movedPages.get(fact.page) }]));
  const gone = placed.filter(({ fact, to }) => to === undefined && !fact.isChosen).map(({ fact }) => fact.id);
  await tx.execute(sql`delete from document_facts where id = any(${sql.param(gone)}::uuid[])`);
  const moved = placed
    .map(({ fact, to }) => movedFact(fact, to))
    .map(({ id, page, x, y, width, height }) => ({ id, page, x, y, width, height }));
  // not inserted anew, which would wait for whoever deletes a correspondent and waits for this document
  await tx.execute(sql`
    update document_facts as facts set page = moved.page, x = moved.x, y = moved.y, width = moved.width, height = moved.height
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as moved (id uuid, page int, x real, y real, width real, height real)
    where facts.id = moved.id`);
};
